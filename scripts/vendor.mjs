// Usage: node scripts/vendor.mjs, as a step of `npm run build`.
// Brings libraries beside the built code that are no dependencies of the package. It copies what is read of the maths library beside the built code: 3.4 of its 46 MB. Its package asks for Node 22, though
// this part of it works on 20, where the tests of grading run; see docs/decisions/0041-what-is-installed.md.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = 'compute-engine.js';
const main = createRequire(import.meta.url).resolve('@cortex-js/compute-engine');
const library = resolve(dirname(main), '..', 'esm-min');
const target = fileURLToPath(new URL('../dist/vendor/compute-engine', import.meta.url));

/** The files that a file imports by path, itself included. */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(library, name), 'utf8');
  for (const [, imported] of text.matchAll(/(?:from|import)\s*\(?["'](\.{1,2}\/[^"']+)["']/g))
    withImports(join(dirname(name), imported), found);
  return found;
}

for (const name of withImports(ENTRY)) {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  copyFileSync(join(library, name), join(target, name));
}
copyFileSync(resolve(library, '..', '..', 'LICENSE'), join(target, 'LICENSE'));

// Bundles the libraries that pages are drawn with into the one file that imports them, with their licences.
const libraries = fileURLToPath(new URL('../dist/reports/libraries.js', import.meta.url));
const bundle = await rolldown({ input: libraries, platform: 'node', logLevel: 'warn' });
const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
const [chunk] = output;
const packages = new Set();
for (const id of chunk.moduleIds) {
  const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
  if (folder !== undefined) packages.add(folder);
}
const notices = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}`;
});
if (packages.size > 0) {
  writeFileSync(libraries, chunk.code);
  writeFileSync(libraries.replace(/js$/, 'licences.txt'), `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
} else if (!existsSync(libraries.replace(/js$/, 'licences.txt')))
  throw new Error(`${libraries} imports nothing`);
