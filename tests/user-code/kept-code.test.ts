import { createHash } from 'node:crypto';
import { chmod, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KeptCode } from '../../src/user-code/kept-code.js';
import { temporaryFolder } from '../datasets/collect.js';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const kept = async (...texts: string[]) => {
  const root = join(await temporaryFolder(), 'state');
  const folder = new KeptCode(root);
  await folder.keep(texts.map((text) => Buffer.from(text)));
  return { root, folder, pathOf: (text: string) => join(root, 'code', hashOf(text)) };
};

test('what is kept is there for another worker, by its hash', async () => {
  const { root, folder } = await kept('one', 'due · 二');
  await folder.keep([Buffer.from('one')]);
  const other = new KeptCode(root);
  expect(['one', 'due · 二', 'three'].map((text) => other.text(hashOf(text)))).toEqual([
    'one',
    'due · 二',
    undefined,
  ]);
  expect(await readdir(join(root, 'code'))).toHaveLength(2);
});

test('it is this account’s alone, and nothing is read that others can write to', async () => {
  const { root, folder } = await kept('one');
  for (const made of [root, join(root, 'code')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  for (const open of [join(root, 'code'), root]) {
    const { mode } = await stat(open);
    await chmod(open, 0o777);
    expect(folder.text(hashOf('one'))).toBeUndefined();
    await chmod(open, mode);
    expect(folder.text(hashOf('one'))).toBe('one');
  }
});

test('a damaged text is none, and no name leads out of the folder', async () => {
  const { root, folder, pathOf } = await kept('one');
  await writeFile(pathOf('one'), 'on');
  expect(folder.text(hashOf('one'))).toBeUndefined();
  await writeFile(join(root, 'beside'), 'secret');
  expect(folder.text('../beside')).toBeUndefined();
});

test('what nothing has begun with for long is thrown away', async () => {
  const { folder, pathOf } = await kept('old', 'used');
  const long = new Date(Date.now() - 91 * 86_400_000);
  for (const text of ['old', 'used']) await utimes(pathOf(text), long, long);
  await folder.keep([Buffer.from('used'), Buffer.from('new')]);
  expect(['old', 'used', 'new'].map((text) => folder.text(hashOf(text)))).toEqual([undefined, 'used', 'new']);
});

test('where nothing can be kept, nothing is', async () => {
  const folder = new KeptCode('/dev/null/state');
  await folder.keep([Buffer.from('one')]);
  expect(folder.text(hashOf('one'))).toBeUndefined();
});
