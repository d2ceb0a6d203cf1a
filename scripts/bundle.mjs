// Usage: node scripts/bundle.mjs, as a step of `npm run build`.
// Puts the command line together in a few files, with the packages that every experiment loads, and the thread of
// workflows likewise; see docs/decisions/0044-a-cheap-start.md. What users' programs and threads import is dist/ itself:
// a bundled module that names its place (`import.meta.url`) names the one in dist/.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const TARGET = join(DIST, 'bundled');
const require = createRequire(import.meta.url);
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Packages that every experiment loads. All others are loaded from node_modules, when they are used. */
const TOGETHER = [
  ...Object.keys(dependencies).filter((name) => name.startsWith('@temporalio/')),
  ...['cli-table3', 'commander', 'fastest-levenshtein', 'lru-cache', 'pino', 'safe-stable-stringify'],
  ...['wrap-ansi', 'yaml', 'zod'],
];
const APART = [
  ...[...Object.keys(dependencies), ...Object.keys(peerDependencies)].filter(
    (name) => !TOGETHER.includes(name),
  ),
  ...['heap-js', 'memfs', 'source-map', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack'],
];
const isApart = (id) => APART.some((name) => id === name || id.startsWith(`${name}/`));

/** Changes to files of packages, most of which look for files beside themselves; by the end of their paths. */
const CHANGES = {
  '@temporalio/core-bridge/common.js': [
    '__dirname',
    "path.dirname(require.resolve('@temporalio/core-bridge'))",
  ],
  '@temporalio/worker/lib/workflow/threaded-vm.js': [
    "require.resolve('./workflow-worker-thread')",
    "require.resolve('@temporalio/worker/lib/workflow/workflow-worker-thread')",
  ],
  // Compiles all workflows once more, in the thread that runs none, for a debugger that may be attached.
  '@temporalio/worker/lib/worker.js': ['new vm.Script(code, { filename })', 'undefined'],
};

/**
 * The protocol without what no worker and no client of an experiment speaks: Temporal Cloud's control plane, and how
 * the protocol is offered by HTTP. A quarter of it, and objects are made of all of it in each thread.
 */
function spokenProtocol(code) {
  const from = code.indexOf('.addJSON(') + '.addJSON('.length;
  const to = code.lastIndexOf('})') + 1;
  const protocol = JSON.parse(code.slice(from, to));
  delete protocol.temporal.nested.api.nested.cloud;
  delete protocol.grpc.nested.gateway;
  return `${code.slice(0, from)}JSON.parse(${JSON.stringify(JSON.stringify(protocol))})${code.slice(to)}`;
}

const places = {
  name: 'places',
  transform(code, id) {
    if (id.endsWith('@temporalio/proto/protos/json-module.js')) return spokenProtocol(code);
    if (id.startsWith(DIST + sep)) {
      const place = relative(TARGET, id).split(sep).join('/');
      if (!code.includes('import.meta.url')) return null;
      return replaced(code, [...ownUrls(parseAst(code))], `new URL('${place}', import.meta.url).href`);
    }
    // Workflows are bundled when Reprise is built.
    if (id.endsWith('@temporalio/worker/lib/workflow/bundler.js')) {
      return `exports.defaultWorkflowInterceptorModules = [];
exports.bundleWorkflowCode = (options) => require('node:module').createRequire(__filename)('@temporalio/worker').bundleWorkflowCode(options);`;
    }
    const [, change] = Object.entries(CHANGES).find(([end]) => id.endsWith(end)) ?? [];
    if (change === undefined) return null;
    if (!code.includes(change[0])) throw new Error(`${id} has no ${change[0]} any more`);
    return code.replaceAll(...change);
  },
};

/** The nodes of a syntax tree. */
function* nodesOf(node) {
  if (node === null || typeof node !== 'object') return;
  yield node;
  for (const part of Object.values(node)) yield* nodesOf(part);
}

/** The places of `import(…)` in a syntax tree, without what is in brackets. */
function* imports(tree) {
  for (const { type, start } of nodesOf(tree))
    if (type === 'ImportExpression') yield { start, end: start + 'import'.length };
}

/** The places of `import.meta.url` in a syntax tree: texts that hold these words are none. */
function* ownUrls(tree) {
  for (const node of nodesOf(tree))
    if (
      node.type === 'MemberExpression' &&
      node.object.type === 'MetaProperty' &&
      node.property.name === 'url'
    )
      yield node;
}

/** Replaces places of a text. */
function replaced(code, places, by) {
  const fromTheEnd = places.sort((left, right) => right.start - left.start);
  return fromTheEnd.reduce((text, { start, end }) => text.slice(0, start) + by + text.slice(end), code);
}

/** V8 forgets who imports where code comes from its store: the loader, workers/bundled.cts, is asked in its place. */
const importing = {
  name: 'importing',
  renderChunk: (code) => replaced(code, [...imports(parseAst(code))], 'importHere'),
};

/** The licences of the packages whose code is put together. */
function licences(ids) {
  const folders = new Set(
    ids.map((id) => /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1]),
  );
  folders.delete(undefined);
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}: ${license}\n\n${text}`;
  });
}

const bundle = await rolldown({
  input: {
    program: join(DIST, 'cli/program.js'),
    'workflow-thread': require.resolve('@temporalio/worker/lib/workflow/workflow-worker-thread'),
  },
  platform: 'node',
  external: isApart,
  plugins: [places, importing],
});
rmSync(TARGET, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: TARGET,
  format: 'cjs',
  // A compiled file belongs to one content.
  entryFileNames: '[name]-[hash].cjs',
  chunkFileNames: '[name]-[hash].cjs',
});
await bundle.close();
const entries = output.filter(({ isEntry }) => isEntry).map(({ name, fileName }) => [name, fileName]);
writeFileSync(
  join(TARGET, 'LICENSES.txt'),
  licences(output.flatMap(({ moduleIds = [] }) => moduleIds)).join('\n\n---\n\n'),
);
writeFileSync(join(TARGET, 'entries.json'), JSON.stringify(Object.fromEntries(entries)));
