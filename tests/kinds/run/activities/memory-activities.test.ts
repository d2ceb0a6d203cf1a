import { describe, expect, test } from 'vitest';
import { readJournal } from '../../../../src/kinds/run/activities/journal-file.js';
import { createMemoryActivities } from '../../../../src/kinds/run/activities/memory-activities.js';
import type { SearchExperiencesInput } from '../../../../src/kinds/run/contracts.js';
import { everyJournalPrefix } from '../../../../src/kinds/run/paths.js';
import type { ExperienceEntry } from '../../../../src/memory/entries.js';
import { keys, temporaryStore } from '../../../activities/support.js';
import { activitiesOf, preparedRun } from '../../../activities/worker-support.js';
import { experience } from '../../../memory/support.js';
import { configOf } from '../../../support/configs.js';

const items = Array.from({ length: 4 }, (_, number) => ({ question: `q${number}`, answer: 'a' }));
const fruit = (...names: string[]): ExperienceEntry[] => names.map((name) => experience(`seeds of ${name}`));
const names = (entries: readonly ExperienceEntry[]) => entries.map(({ obs }) => obs.split(' ').at(-1));

async function place(
  memory_scope: 'run' | 'sample',
  { loaded, retrieval = {} }: { loaded?: object; retrieval?: object } = {},
) {
  const store = await temporaryStore();
  const config = configOf({
    dataset: { items },
    runtime: { memory_scope },
    agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
    memory: { _type: 'hybrid', retrieval },
  });
  const run = await preparedRun(store, config, loaded === undefined ? {} : { loaded });
  const input = (fields: Partial<SearchExperiencesInput>): SearchExperiencesInput => ({
    run,
    execution: 'e',
    lane: 0,
    sequence: 0,
    from: 0,
    entries: [],
    count: 0,
    k: 10,
    ...fields,
  });
  return { store, run, input, newWorker: () => activitiesOf(createMemoryActivities) };
}

const hybrid = (...experiences: ExperienceEntry[]) => ({
  _type: 'hybrid',
  cheatsheet: '',
  versions: [],
  experiences,
});

describe('a memory that samples share', () => {
  test('is searched with what is loaded, written and brought along, which is written then', async () => {
    const { store, input, newWorker } = await place('run', { loaded: hybrid(...fruit('plum')) });
    const worker = newWorker();
    await worker.keepEntries(input({ entries: fruit('pear') }));
    const { experiences, ...paid } = await worker.searchExperiences(
      input({ sequence: 1, from: 1, entries: fruit('quince'), count: 2, text: 'seeds of pear' }),
    );
    expect(names(experiences).at(-1)).toBe('pear');
    expect(names(experiences).toSorted()).toEqual(['pear', 'plum', 'quince']);
    expect(paid).toEqual({});
    const journal = await readJournal(store, { execution: 'e', lane: 0 });
    expect(names(journal.entries as ExperienceEntry[])).toEqual(['pear', 'quince']);
  });

  test('is taken over by a worker that knows nothing of it, also where batches were not searched with', async () => {
    const { input, newWorker } = await place('run');
    const [first, second] = [newWorker(), newWorker()];
    await first.searchExperiences(input({ entries: fruit('plum', 'pear'), count: 2 }));
    await second.keepEntries(input({ sequence: 1, from: 2, entries: fruit('fig') }));
    const takenOver = await second.searchExperiences(
      input({ sequence: 2, from: 3, entries: fruit('apple'), count: 4 }),
    );
    expect(names(takenOver.experiences)).toEqual(['plum', 'pear', 'fig', 'apple']);
    // And back, after the memory went back to its first entry.
    const back = await first.searchExperiences(
      input({ sequence: 3, from: 1, entries: fruit('quince'), count: 2 }),
    );
    expect(names(back.experiences)).toEqual(['plum', 'quince']);
    expect(
      names(
        (await first.searchExperiences(input({ sequence: 4, from: 2, count: 2, text: 'seeds' }))).experiences,
      ),
    ).toEqual(['plum', 'quince']);
  });

  test('answers an attempt that is made again, here or elsewhere, as it answered before', async () => {
    const { input, newWorker } = await place('run');
    const [first, second] = [newWorker(), newWorker()];
    await first.searchExperiences(input({ entries: fruit('plum'), count: 1 }));
    const asked = input({
      sequence: 1,
      from: 1,
      entries: fruit('pear', 'fig'),
      count: 3,
      text: 'seeds of fig',
    });
    const answer = await first.searchExperiences(asked);
    expect(await first.searchExperiences(asked)).toEqual(answer);
    expect(await second.searchExperiences(asked)).toEqual(answer);
    // A late attempt of an older search harms neither what is stored nor what is found next.
    await first.searchExperiences(input({ entries: fruit('plum'), count: 1 }));
    const next = input({ sequence: 2, from: 3, entries: fruit('apple'), count: 4 });
    expect(names((await first.searchExperiences(next)).experiences)).toEqual([
      'plum',
      'pear',
      'fig',
      'apple',
    ]);
  });

  test('is not written again where a search brings nothing', async () => {
    const { store, input, newWorker } = await place('run');
    await newWorker().searchExperiences(input({ text: 'x' }));
    expect(await keys(store, everyJournalPrefix())).toEqual([]);
  });

  test('is found by those judged correct alone where the config says so, its newest all the same', async () => {
    const { input, newWorker } = await place('run', { retrieval: { correct_only: true } });
    const entries = [
      ...fruit('plum'),
      experience('seeds of pear', { feedback: { correct: false, message: 'no' } }),
    ];
    const worker = newWorker();
    const byWords = await worker.searchExperiences(input({ entries, count: 2, text: 'seeds of pear' }));
    expect(names(byWords.experiences)).toEqual(['plum']);
    const newest = await worker.searchExperiences(input({ sequence: 1, from: 2, count: 2 }));
    expect(names(newest.experiences)).toEqual(['plum', 'pear']);
  });
});

describe('a memory of each sample', () => {
  test('is searched with the entries that come along, and never written', async () => {
    const { store, input, newWorker } = await place('sample', { loaded: hybrid(...fruit('plum')) });
    const worker = newWorker();
    const search = (lane: number, ...own: string[]) =>
      worker.searchExperiences(input({ lane, entries: fruit(...own), count: own.length, text: 'seeds' }));
    const answers = await Promise.all([
      search(0, 'pear', 'fig'),
      search(1, 'quince'),
      search(2),
      search(0, 'pear'),
    ]);
    expect(answers.map(({ experiences }) => names(experiences).toSorted())).toEqual([
      ['fig', 'pear', 'plum'],
      ['plum', 'quince'],
      ['plum'],
      ['pear', 'plum'],
    ]);
    expect(await keys(store, everyJournalPrefix())).toEqual([]);
  });

  test('that was loaded for it is its own', async () => {
    const memories = { s0: hybrid(...fruit('plum')), s2: hybrid(...fruit('pear')) };
    const { input, newWorker } = await place('sample', { loaded: { _type: 'per_sample', memories } });
    const worker = newWorker();
    const answers = await Promise.all(
      [0, 1, 2].map((lane) =>
        worker.searchExperiences(input({ lane, entries: fruit('fig'), count: 1, text: 'seeds' })),
      ),
    );
    expect(answers.map(({ experiences }) => names(experiences).toSorted())).toEqual([
      ['fig', 'plum'],
      ['fig'],
      ['fig', 'pear'],
    ]);
  });
});

test('another run with the same worker has a memory of its own', async () => {
  const [one, two] = [await place('run'), await place('run')];
  const worker = one.newWorker();
  await worker.searchExperiences(one.input({ entries: fruit('plum'), count: 1 }));
  const { experiences } = await worker.searchExperiences(two.input({ entries: fruit('pear'), count: 1 }));
  expect(names(experiences)).toEqual(['pear']);
});
