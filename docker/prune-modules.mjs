// Usage: node docker/prune-modules.mjs node_modules
// Removes what no worker reads: the Temporal SDK's native part for other machines and its Rust sources, TypeScript,
// source maps and Markdown. Licences stay. With --keep-types the types stay as well, for an editor.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { arch, platform } from 'node:process';

const root = process.argv.slice(2).find((word) => word !== '--keep-types');
const keepsTypes = process.argv.includes('--keep-types');
if (root === undefined) throw new Error('name the folder: node docker/prune-modules.mjs node_modules');

const UNREAD = keepsTypes ? /\.map$/i : /\.(?:map|md|markdown|flow|[cm]?ts)$/i;
const LICENCE = /licen[cs]e|notice|copying/i;
const SYSTEM = { linux: 'unknown-linux-gnu', darwin: 'apple-darwin', win32: 'pc-windows-msvc' }[platform];
const NATIVE = `${{ x64: 'x86_64', arm64: 'aarch64' }[arch]}-${SYSTEM}`;
const BRIDGE = join(root, '@temporalio', 'core-bridge');

let freed = 0;

function remove(path) {
  for (const file of filesBelow(path)) freed += statSync(file).size;
  rmSync(path, { recursive: true });
}

function* filesBelow(path) {
  if (!statSync(path).isDirectory()) return void (yield path);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) yield* filesBelow(join(path, entry.name));
  }
}

const releases = readdirSync(join(BRIDGE, 'releases'));
if (!releases.includes(NATIVE)) throw new Error(`the Temporal SDK has no native part for ${NATIVE}`);
for (const release of releases) if (release !== NATIVE) remove(join(BRIDGE, 'releases', release));
for (const sources of ['sdk-core', 'bridge-macros', 'src']) remove(join(BRIDGE, sources));
for (const file of [...filesBelow(root)]) if (UNREAD.test(file) && !LICENCE.test(file)) remove(file);
console.log(`${Math.round(freed / 2 ** 20)} MB removed`);
