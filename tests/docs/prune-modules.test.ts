import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const run = promisify(execFile);
const HERE = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-gnu`;
const BRIDGE = '@temporalio/core-bridge';
const READ = [
  `${BRIDGE}/releases/${HERE}/index.node`,
  `${BRIDGE}/index.js`,
  'own/lib/index.js',
  'own/lib/data.json',
  'own/LICENSE.md',
];
const UNREAD = [
  `${BRIDGE}/releases/x86_64-pc-windows-msvc/index.node`,
  `${BRIDGE}/sdk-core/Cargo.toml`,
  `${BRIDGE}/bridge-macros/Cargo.toml`,
  `${BRIDGE}/src/lib.rs`,
  'own/lib/index.js.map',
  'own/lib/index.d.ts',
  'own/lib/index.d.mts',
  'own/src/index.ts',
  'own/README.md',
];

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function modules(files: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-modules-'));
  folders.push(folder);
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), 'x');
  }
  return folder;
}

const prune = (folder: string) => run(process.execPath, ['docker/prune-modules.mjs', folder]);

test('what no worker reads is removed, and what one reads is kept', async () => {
  const folder = await modules([...READ, ...UNREAD]);
  await prune(folder);
  expect(READ.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  expect(UNREAD.filter((file) => existsSync(join(folder, file)))).toEqual([]);
});

test('nothing is removed where the native part for this machine is missing', async () => {
  const folder = await modules([...READ.slice(1), ...UNREAD]);
  await expect(prune(folder)).rejects.toThrow(`no native part for ${HERE}`);
  expect(UNREAD.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
});
