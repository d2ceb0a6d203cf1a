import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { noteCodeChange } from '../../src/activities/code-changes.js';
import { codeBegunWith, type KeptCode } from '../../src/activities/kept-code.js';
import { userFile } from '../support/user-file.js';
import { memoryStore } from './executor-support.js';

/** As a worker's folder keeps it. */
function keptHere() {
  const texts = new Map<string, string>();
  const kept: KeptCode = {
    keep: async (given) => {
      for (const text of given)
        texts.set(createHash('sha256').update(text).digest('hex'), Buffer.from(text).toString());
    },
    text: (hash) => texts.get(hash),
  };
  return { texts, kept };
}

async function begun() {
  const paths = [
    await userFile('env.ts', 'export {};\n'),
    await userFile('helper.ts', 'export const a = 1;\n'),
  ];
  const { store } = memoryStore();
  const here = keptHere();
  const note = () => noteCodeChange(store, { paths, folders: [] }, { at: '', episodes: 0 }, here.kept);
  await note();
  const asItBegan = new Map([
    [paths[0], 'export {};\n'],
    [paths[1], 'export const a = 1;\n'],
  ]);
  return { ...here, store, note, helper: paths[1] as string, asItBegan };
}

test('what an experiment began with is found after an edit, until it is continued with the new one', async () => {
  const { store, kept, helper, note, asItBegan } = await begun();
  await writeFile(helper, 'export const a = 2;\n');
  expect(await codeBegunWith(store, kept)).toEqual(asItBegan);
  await note();
  expect((await codeBegunWith(store, kept))?.get(helper)).toBe('export const a = 2;\n');
});

test('all of it or nothing: neither a part, nor what has no file any more', async () => {
  const { store, kept, texts, helper } = await begun();
  expect(await codeBegunWith(store, undefined)).toBeUndefined();
  expect(await codeBegunWith(memoryStore().store, kept)).toBeUndefined();
  await rm(helper);
  expect(await codeBegunWith(store, kept)).toBeUndefined();
  await writeFile(helper, '');
  expect(await codeBegunWith(store, kept)).toBeDefined();
  texts.delete([...texts.keys()][0] as string);
  expect(await codeBegunWith(store, kept)).toBeUndefined();
});
