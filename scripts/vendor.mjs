// Usage: node scripts/vendor.mjs, as a step of `npm run build`.
// Copies what is read of the maths library beside the built code: 3.4 of its 46 MB. Its package asks for Node 22, though
// this part of it works on 20, where the tests of grading run; see docs/decisions/0041-what-is-installed.md.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
