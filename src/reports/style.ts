const LIGHT = `--paper:#fff; --raised:#f5f6f8; --ink:#1c2128; --quiet:#59626e; --line:#d5dae0; --edge:#6a7480;
--link:#0b57b8; --accent:#b3400a; --plus:#dcf5e2; --plus-ink:#116329; --minus:#fde4e1; --minus-ink:#a31515; --notice:#fff4d6;
--m1:#e6f0fb; --m2:#cfe2f7; --m3:#b3d1f2; --m4:#93bdeb; --plus-part:#a6e3b4; --minus-part:#f7b5ae;
--word:#5b2ea6; --text:#0a4f2e; --value:#0a4a94; --aside:#474f59;`;
const DARK = `--paper:#14181d; --raised:#1d232a; --ink:#e4e8ec; --quiet:#a3adb8; --line:#353d47; --edge:#8f9aa6;
--link:#7cb7ff; --accent:#ffa76b; --plus:#123420; --plus-ink:#7ee2a0; --minus:#43191a; --minus-ink:#ffa8a0; --notice:#3a2f12;
--m1:#1b2836; --m2:#20384f; --m3:#26496a; --m4:#2c5b86; --plus-part:#1d5c37; --minus-part:#7a2a2b;
--word:#d2a8ff; --text:#8fd9a8; --value:#9ecbff; --aside:#a3adb8;`;

/** Style of every page: light and dark, for screens of 320 pixels and more, and for paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 5rem; max-width: 70rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
code, pre, tbody th a, .scaffold h3 { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code, pre { font-size: .875em; }
a { color: var(--link); }
a, summary, button { border-radius: 3px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 3rem 0 .75rem; font-size: 1.35rem; }
h3, h4 { margin: 0; font-size: 1rem; }
small, .note, figcaption, .legend, .kind, .folder { color: var(--quiet); font-size: .875rem; }
.kind, .folder { margin: 0; }
.note, figcaption { max-width: 46rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .75rem; }
.notice { padding: .6rem .9rem; border-left: 4px solid var(--accent); background: var(--notice); }
.star { color: var(--accent); font-weight: 600; white-space: nowrap; }

dl { margin: 0; } dd { margin: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; }
.tiles > div { padding: .7rem .9rem; background: var(--raised); border-radius: 6px; }
.tiles dt, .facts dt { color: var(--quiet); font-size: .875rem; }
.tiles dd { font-size: 1.35rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles small { display: block; font-weight: 400; line-height: 1.35; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; margin: 1rem 0; }

table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th, thead td { background: var(--raised); }
thead th { position: sticky; top: 0; z-index: 1; font-weight: 600; }
tbody th { font-weight: 400; }
td.number { text-align: right; } td.wide { white-space: normal; min-width: 16rem; }
.exact td { white-space: normal; }
tr.best { background: var(--raised); }
th button { all: unset; cursor: pointer; text-decoration: underline dotted; text-underline-offset: 3px; }
th button:focus-visible { outline: 2px solid var(--link); }
th[aria-sort=ascending] button::after { content: " ↑"; } th[aria-sort=descending] button::after { content: " ↓"; }
.scroll { overflow: auto; } .framed { max-height: 36rem; border: 1px solid var(--line); border-radius: 6px; }
.tree.framed { padding: .5rem; }

summary { cursor: pointer; } summary > h3 { display: inline; }
main > section:first-of-type h2 { margin-top: 2rem; } .paper { display: none; } .chart { max-width: 56rem; }
.exact, figure + details { margin-top: 1rem; }
.status::before { display: inline-block; width: 1.1em; font-weight: 700; }
.status.validated::before { content: "✓"; } .status.new::before { content: "○"; }
.status.success::before { content: "✓"; } .status.failure::before { content: "✕"; } .status.error::before { content: "!"; }
.status.duplicate::before { content: "="; } .status.failed::before { content: "✕"; }
.status.failed, .status.failure, .status.error { color: var(--minus-ink); } .status.success { color: var(--plus-ink); }

figure { margin: 0; } svg { vertical-align: middle; } .chart svg, .tree svg { display: block; } .chart .scroll, .tree { max-width: 100%; }
.matrix { margin-bottom: 1rem; } caption { padding: .3rem 0; text-align: left; } .matrix td { min-width: 3rem; } .matrix td.right { outline: 2px solid var(--ink); outline-offset: -3px; font-weight: 600; }
.m1 { background: var(--m1); } .m2 { background: var(--m2); } .m3 { background: var(--m3); } .m4 { background: var(--m4); }
a:hover circle { stroke: var(--ink); stroke-width: 2.5; } svg a { text-decoration: none; }

.scaffold { border-top: 1px solid var(--line); scroll-margin-top: .5rem; } .scaffold:last-of-type { border-bottom: 1px solid var(--line); }
.scaffold > summary { padding: .5rem .25rem; } .scaffold[open] > summary { background: var(--raised); }
.scaffold > summary > * { margin-right: .6rem; }
.scaffold[open] { padding-bottom: 1.5rem; }
.plus { color: var(--plus-ink); } .minus { color: var(--minus-ink); }
.error { max-height: 20rem; overflow: auto; padding: .6rem .9rem; background: var(--raised); border-left: 4px solid var(--minus-ink); white-space: pre-wrap; }
.file { margin-top: 1.25rem; } .file h3, .file h4 { margin-bottom: .4rem; font-size: 1rem; } .file small { font-weight: 400; }
.code { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; overflow-wrap: normal; }
.code > div { display: inline-block; min-width: 100%; vertical-align: top; }
.code pre { margin: 0; line-height: 1.45; unicode-bidi: isolate; direction: ltr; tab-size: 4; }
.code div > div, .fold > div { display: flex; }
.code > pre { padding: .5rem .75rem; }
.hljs-keyword, .hljs-built_in, .hljs-literal, .hljs-meta { color: var(--word); } .hljs-string, .hljs-regexp { color: var(--text); }
.hljs-number, .hljs-attr, .hljs-title, .hljs-type, .hljs-property { color: var(--value); } .hljs-comment { color: var(--aside); font-style: italic; }
.code pre[aria-hidden] { flex: none; position: sticky; left: 0; min-width: 4.5em; padding: 0 .5em; text-align: right;
  background: var(--raised); color: var(--quiet); user-select: none; }
.code ins pre b { background: var(--plus-part); font-weight: inherit; } .code del pre b { background: var(--minus-part); font-weight: inherit; }
.code ins, .code del { flex: 1; text-decoration: none; } .code ins pre, .code del pre { padding-right: 1em; }
.code .same > pre + pre, .code ins pre, .code del pre { padding-left: .75em; }
.code .added, .code .added pre[aria-hidden] { background: var(--plus); } .code .removed, .code .removed pre[aria-hidden] { background: var(--minus); }
.code .added pre[aria-hidden] { color: var(--plus-ink); } .code .removed pre[aria-hidden] { color: var(--minus-ink); }
.fold > summary, p.fold { position: sticky; left: 0; width: fit-content; margin: 0; padding: .2rem .75rem; color: var(--quiet); font-size: .8125rem; }

@media (max-width: 40rem) {
  body { padding: 1rem .9rem 4rem; } h1 { font-size: 1.6rem; } h2 { margin-top: 2.25rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .5rem; } .tiles dd { font-size: 1.25rem; }
  th, td { padding: .3rem .5rem; }   .code pre[aria-hidden] { min-width: 3.6em; padding: 0 .3em; }
}
@media print {
  :root { color-scheme: light; ${LIGHT} }
  body { max-width: none; padding: 0; font-size: 10pt; } nav, .skip, .exact { display: none; } .paper { display: inline; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .scroll, .framed, .code { overflow: visible; max-height: none; border: none; }
  h2, h3, h4, summary { break-after: avoid; } tr, .tiles > div, .chart { break-inside: avoid; }
  thead th { position: static; } a { color: inherit; text-decoration: none; }
  .scaffold:not([open]) { display: none; }
  .code > div { display: block; } .code pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 8pt; }
  .code pre[aria-hidden] { display: none; }
  .code .added { border-left: 3px solid var(--plus-ink); } .code .removed { border-left: 3px dashed var(--minus-ink); }
  .code del pre { text-decoration: line-through; }
}
`;
