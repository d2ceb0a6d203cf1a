import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findExperiment, findFile } from '../../src/cli/find-experiment.js';
import { InvalidInputError } from '../../src/config/errors.js';

/** Two folders of results: `mine` is in both, and finished in the second only. */
function folders(): [string, string] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-find-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const found: [string, string] = [join(root, 'first'), join(root, 'second')];
  for (const folder of found) mkdirSync(join(folder, 'mine'), { recursive: true });
  writeFileSync(join(found[1], 'mine', 'results.jsonl'), '');
  return found;
}

const WANTED = { file: 'results.jsonl', kind: 'run' };

test('an experiment is found by its name in the first folder that has it finished, or by its address', async () => {
  const [first, second] = folders();
  const folder = join(second, 'mine');
  for (const id of ['mine', 'mine/', folder, `${folder}/`, pathToFileURL(folder).href]) {
    const { uri } = await findExperiment(id, { ...WANTED, folders: [first, second] });
    expect([id, uri]).toEqual([id, pathToFileURL(folder).href]);
  }
});

test('what is nowhere is bad input, whatever it looks like', async () => {
  const [first] = folders();
  for (const id of ['mine', 'other', '', '..', '../mine', join(first, 'mine'), 'a b']) {
    const search = findExperiment(id, { ...WANTED, folders: [first] });
    await expect(search).rejects.toThrow(InvalidInputError);
    await expect(search).rejects.toThrow(`there is no finished run '${id}' in ${first};`);
  }
});

test('a folder of the working folder is found last', async () => {
  const [first, second] = folders();
  vi.spyOn(process, 'cwd').mockReturnValue(second);
  onTestFinished(() => void vi.restoreAllMocks());
  const { uri } = await findExperiment('mine', { ...WANTED, folders: [first] });
  expect(uri).toBe(pathToFileURL(join(second, 'mine')).href);
});

test('a file is found by its path, or as that of an experiment; the file comes first', async () => {
  const [first, second] = folders();
  const wanted = { folders: [first, second], file: 'results.jsonl' };
  const placeOf = async (given: string) => {
    const { store, key } = await findFile(given, wanted);
    return `${store.uri}/${key}`;
  };
  const inFolder = pathToFileURL(join(second, 'mine', 'results.jsonl')).href;
  for (const given of [
    'mine',
    join(second, 'mine'),
    `${join(second, 'mine')}/`,
    join(second, 'mine', 'results.jsonl'),
  ]) {
    expect([given, await placeOf(given)]).toEqual([given, inFolder]);
  }
  writeFileSync(join(first, 'other'), '');
  expect(await placeOf(join(first, 'other'))).toBe(pathToFileURL(join(first, 'other')).href);
  for (const given of ['gone', '', join(first, 'mine')]) {
    await expect(findFile(given, wanted)).rejects.toThrow(
      `there is no file at ${given}, and no experiment '${given}'`,
    );
  }
});
