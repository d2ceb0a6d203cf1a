import { expect, test } from 'vitest';
import { partKey, partsPrefix, planKey, taskChunkKey } from '../../src/kinds/run/paths.js';
import { artifactKeys, callKey, experimentFolderName } from '../../src/storage/paths.js';

test('parts sort in the order in which they were written, below the prefix that lists them', () => {
  const keys = [
    partKey('run', 0, 'w'),
    partKey('run', 2, 'w'),
    partKey('run', 10, 'v'),
    partKey('run', 1000, 'w'),
  ];
  expect([...keys].sort()).toEqual(keys);
  for (const key of keys) expect(key.startsWith(partsPrefix('run'))).toBe(true);
  expect(keys[0]).toBe('parts/run/000000-w.jsonl');
});

test('chunks of the dataset sort by number', () => {
  const keys = [taskChunkKey(0), taskChunkKey(9), taskChunkKey(10), taskChunkKey(1_000)];
  expect([...keys].sort()).toEqual(keys);
});

test('replies of calls are spread over folders by their first two digits', () => {
  expect(callKey('ab12ff')).toBe('pending/ab/ab12ff.json');
});

test('no key of an experiment is a folder of another', () => {
  const keys = [
    ...Object.values(artifactKeys),
    planKey(),
    partKey('e', 0, 'w0'),
    callKey('abc'),
    taskChunkKey(0),
  ];
  for (const key of keys) {
    for (const other of keys) expect(other.startsWith(`${key}/`), `${other} lies below ${key}`).toBe(false);
  }
});

test.each(['', '../up', 'a/b', 'a\n'])('an execution named %j gets no parts', (execution) => {
  expect(() => partKey(execution, 0, 'w0')).toThrow();
});

test.each(['', 'ab', '../../etc', 'ab/cd'])('%j is refused as a call key', (key) => {
  expect(() => callKey(key)).toThrow(RangeError);
});

test.each([-1, 1.5, Number.NaN])('%d is refused as a number in a key', (number) => {
  expect(() => partKey('run', number, 'w')).toThrow(RangeError);
  expect(() => taskChunkKey(number)).toThrow(RangeError);
});

test.each([
  ['aime-2024', 'aime-2024'],
  ['AIME 2024: reflexion × 3', 'AIME-2024-reflexion-3'],
  ['Zürich/été', 'Zurich-ete'],
  ['../../etc/passwd', 'etc-passwd'],
  ['.hidden', 'hidden'],
  ['  spaces  ', 'spaces'],
  ['run v1.2_final.', 'run-v1.2_final'],
  ['x'.repeat(300), 'x'.repeat(100)],
  ['实验', 'experiment-5e42855d'],
  ['тест 1', '1-0e34f558'],
  ['проба 1', '1-a0382f26'],
  [`${'x'.repeat(300)}数`, `${'x'.repeat(91)}-a12467a1`],
])('a run named %j keeps its results in %j', (name, folder) => {
  expect(experimentFolderName(name)).toBe(folder);
});

test.each(['', '   ', '..', '///', '…', '__'])(
  'a run named %j is refused, because no letter or digit is left',
  (name) => {
    expect(() => experimentFolderName(name)).toThrow(/^name: .* at least one letter or digit$/);
  },
);
