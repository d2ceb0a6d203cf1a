import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBegunWith, codeChangesAtEnd, noteCodeChange } from '../../src/user-code/code-file.js';
import { KeptCode } from '../../src/user-code/kept-code.js';
import { memoryStore } from '../activities/executor-support.js';
import { temporaryFolder } from '../datasets/collect.js';
import { userFile } from '../support/user-file.js';

async function begun() {
  const paths = [
    await userFile('env.ts', 'export {};\n'),
    await userFile('helper.ts', 'export const a = 1;\n'),
  ] as const;
  const { store } = memoryStore();
  const state = join(await temporaryFolder(), 'state');
  const kept = new KeptCode(state);
  const note = () => noteCodeChange(store, { paths, folders: [] }, { at: '', episodes: 0 }, { kept });
  await note();
  return { state, store, kept, note, paths };
}

test('what an experiment began with is found after an edit, until it is continued with the new one', async () => {
  const { store, kept, paths, note } = await begun();
  const [env, helper] = paths;
  await writeFile(helper, 'export const a = 2;\n');
  const was = await codeBegunWith(store, kept);
  expect([env, helper].map((path) => was?.texts.get(path))).toEqual([
    'export {};\n',
    'export const a = 1;\n',
  ]);
  expect(await note()).toEqual({ at: '', episodes: 0, modules: [helper] });
  expect((await codeBegunWith(store, kept))?.texts.get(helper)).toBe('export const a = 2;\n');
});

test('an edit that was not loaded is no change of the results, unless nobody knows what was loaded', async () => {
  const { state, store, kept, paths } = await begun();
  const [, helper] = paths;
  await writeFile(helper, 'export const a = 2;\n');
  const before = await store.readText('code.json');
  const ended = () => codeChangesAtEnd(store, { code: { paths, folders: [] }, kept }, { episodes: 5 });
  expect(await ended()).toEqual([]);
  expect(JSON.parse((await store.readText('code.json')) as string)).toEqual({
    ...JSON.parse(before as string),
    values: {},
  });
  await rm(join(state, 'code'), { recursive: true });
  expect(await ended()).toEqual([{ at: expect.any(String), episodes: 5, modules: [helper] }]);
});

test('all of it or nothing: neither a part, nor what has no file any more', async () => {
  const { state, store, kept, paths } = await begun();
  expect(await codeBegunWith(store, undefined)).toBeUndefined();
  expect(await codeBegunWith(memoryStore().store, kept)).toBeUndefined();
  await rm(paths[1]);
  expect(await codeBegunWith(store, kept)).toBeUndefined();
  await writeFile(paths[1], '');
  expect(await codeBegunWith(store, kept)).toBeDefined();
  await rm(join(state, 'code'), { recursive: true });
  expect(await codeBegunWith(store, kept)).toBeUndefined();
});
