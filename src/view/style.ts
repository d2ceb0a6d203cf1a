/** Style of the viewer's pages, beside that of every page. */
export const VIEW_STYLE = `
body { max-width: 84rem; }
.trail { margin: 0 0 1rem; gap: .25rem .5rem; color: var(--quiet); }
.filter, .controls, .controls form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .5rem 0; }
.written { display: grid; gap: .75rem; max-width: 46rem; } .written textarea { display: block; width: 100%; }
input, select, textarea, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 4px; padding: .2rem .5rem; }
button { background: var(--raised); cursor: pointer; justify-self: start; }
input[type=checkbox] { width: 1.2rem; height: 1.2rem; }
small.asked { display: block; max-width: 26rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: system-ui, sans-serif; }
.rows th a, th small a { font-family: inherit; } table.rows td.wide { min-width: 14rem; max-width: 26rem; }
.rows small.asked { max-width: 18rem; } .rows tbody th, .experiments tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; max-width: 18rem; }
.experiments td.wide { min-width: 13rem; } .experiments td.started { white-space: normal; min-width: 6.5rem; }
.pages { gap: .25rem 1.5rem; } .tag { margin-right: .4rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; } div.asked { padding: .75rem 1rem; background: var(--raised); border-radius: 6px; margin-bottom: 1rem; max-height: 24rem; overflow: auto; }
td.models { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; max-width: 14rem; } input, textarea { max-width: 100%; }
td.answer { white-space: pre-wrap; }
.facts dd { max-width: 60rem; white-space: pre-wrap; }
.turns { list-style: none; margin: 1rem 0; padding: 0; }
.turns > li { content-visibility: auto; contain-intrinsic-size: auto 12rem; scroll-margin-top: 1rem; }
.message { margin: .75rem 0; padding: .6rem 1rem; border-left: 4px solid var(--line); background: var(--raised); border-radius: 0 6px 6px 0; }
.message.assistant { border-color: var(--link); background: var(--paper); } .message.user { border-color: var(--accent); } .message.system { border-color: var(--edge); }
.message h3 { font-size: .875rem; color: var(--quiet); } .message summary h3 { display: inline; } .message img { display: block; max-width: 100%; max-height: 28rem; margin: .4rem 0; }
.thoughts { margin: .4rem 0; color: var(--quiet); } .call { margin: .5rem 0 0; color: var(--quiet); font-size: .8125rem; }
.tool { margin: .6rem 0; } .tool h4, .tool h5 { margin: .3rem 0; font-size: .875rem; } .tool .code { max-height: 22rem; overflow: auto; }
.tools { margin: 0 0 1rem; display: block; line-height: 1.8; }
li:target > .message.assistant { outline: 2px solid var(--link); outline-offset: 2px; }
.entry h3 { font-size: .875rem; color: var(--quiet); } .entry { margin: .5rem 0; padding: .5rem 1rem; background: var(--raised); border-radius: 6px; } .entry dt { color: var(--quiet); font-size: .875rem; }
tr.added td, tr.added th { background: var(--plus); } tr.removed td, tr.removed th { background: var(--minus); }
.execution { border-top: 1px solid var(--line); padding: .4rem 0; } .execution h4 { margin: .5rem 0 .25rem; font-size: .875rem; } .execution .code { max-height: 22rem; overflow: auto; }
@media (max-width: 40rem) {
  .experiments, .experiments thead, .experiments tbody, .experiments tr { display: block; }
  .experiments td, .experiments th { display: inline-block; min-width: 0 !important; max-width: 100% !important; padding: .1rem .6rem .1rem 0; border: none; background: none; }
  .experiments tbody tr { padding: .4rem 0; border-bottom: 1px solid var(--line); } .experiments tbody th { vertical-align: middle; font-weight: 600; } .experiments td:empty { display: none; }
  .experiments thead th:not(:has(a)) { display: none; }
  small.asked { max-width: 9rem !important; } .rows tbody th { min-width: 7rem; }
}
`;
