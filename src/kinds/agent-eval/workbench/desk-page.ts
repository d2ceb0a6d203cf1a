/** Page of the debug app. It requests data from the app only, and inserts it as text. */
export const DESK_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tools</title>
<link rel="stylesheet" href="/desk.css">
<h1 id="title">Tools</h1>
<form id="desk">
  <label>Row <select id="row"></select></label>
  <button>Reset</button>
  <span id="state" role="status"></span>
</form>
<p><a href="/openapi.json">openapi.json</a></p>
<main id="tools"></main>
<script src="/desk.js"></script>
</html>
`;

export const DESK_STYLE = `body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 56rem; padding: 0 1rem; }
form { display: grid; gap: .5rem; border-top: 1px solid #ccc; padding: 1rem 0; }
#desk { display: flex; flex-wrap: wrap; align-items: center; border: 0; }
h2 { font: 600 1rem ui-monospace, monospace; margin: 0; }
textarea { font: 14px/1.4 ui-monospace, monospace; min-height: 6rem; }
button { justify-self: start; padding: .25rem 1rem; }
pre { background: #f4f4f4; color: #111; margin: 0; overflow: auto; padding: .5rem; white-space: pre-wrap; }
pre.failed { background: #fbe9e7; }
pre:empty { display: none; }
`;

export const DESK_SCRIPT = `const element = (id) => document.getElementById(id);
const make = (name, text, parent) => {
  const made = parent.appendChild(document.createElement(name));
  made.textContent = text;
  return made;
};
const post = async (path, body) => {
  const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { ok: response.ok, value: await response.json() };
};
const blank = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} };
const example = ({ properties = {}, required = [] }) => JSON.stringify(Object.fromEntries(
  required.map((key) => [key, properties[key].default ?? properties[key].enum?.[0] ?? blank[properties[key].type] ?? null]),
), null, 2);

function showState({ row, rows, calls, goal, goal_error }) {
  const select = element('row');
  select.replaceChildren(...rows.map((id) => new Option(id, id, false, id === row)));
  const holds = goal_error ?? (goal === null ? 'the row has no goal' : goal ? 'the goal holds' : 'the goal does not hold');
  element('state').textContent = calls + (calls === 1 ? ' call, ' : ' calls, ') + holds;
}
const refreshState = async () => showState(await (await fetch('/state')).json());

async function showTools() {
  const { info, paths } = await (await fetch('/openapi.json')).json();
  element('title').textContent = document.title = info.title;
  element('tools').replaceChildren();
  for (const [path, { post: tool }] of Object.entries(paths)) {
    if (!path.startsWith('/tools/')) continue;
    const form = make('form', '', element('tools'));
    make('h2', tool.operationId, form);
    make('span', tool.summary + (tool.tags[0] === 'reads' ? ' (reads only)' : ''), form);
    const input = make('textarea', example(tool.requestBody.content['application/json'].schema), form);
    input.setAttribute('aria-label', 'arguments of ' + tool.operationId);
    make('button', 'Call', form);
    const output = make('pre', '', form);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { ok, value } = await post(path, input.value);
      output.className = ok ? '' : 'failed';
      output.textContent = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      await refreshState();
    });
  }
}
element('desk').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ok, value } = await post('/reset', JSON.stringify({ row: element('row').value }));
  if (!ok) element('state').textContent = value.error;
  else {
    showState(value);
    await showTools();
  }
});
showTools().then(refreshState);
`;
