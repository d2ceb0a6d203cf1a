import { describe, expect, test, vi } from 'vitest';
import { chooseEvolveFolder, latestEvolveState } from '../../src/kinds/evolve/folder.js';
import type { EvolveConfig } from '../../src/kinds/evolve/schema.js';
import { evolveConfigWith } from '../config/evolve-support.js';
import {
  choice,
  DATA,
  ended,
  experiment,
  FOLDER,
  type FolderSubject,
  NOW,
  to,
} from './evolve-folder-support.js';

/** Which folder an experiment works in, on any store. */
export function testEvolveFolders({ makeResults }: FolderSubject): void {
  // Real disks and servers on a busy machine.
  vi.setConfig({ testTimeout: 30_000 });

  describe('the folder of an experiment', () => {
    test('is new, and named by the time, where there is none', async () => {
      expect(await choice(await makeResults(), to(3))).toEqual([FOLDER, 'new']);
    });

    const older = 'evolve_20250101_000000';
    const cases: [
      what: string,
      there: Parameters<typeof experiment>[2] & { config?: EvolveConfig },
      asked: EvolveConfig,
      expected: [string, string],
    ][] = [
      ['begun but for its first iteration', { finished: -1 }, to(3), [older, 'unfinished']],
      ['half-way', { finished: 1 }, to(3), [older, 'unfinished']],
      [
        'half-way, with fewer iterations asked for now',
        { finished: 1, config: to(9) },
        to(1),
        [older, 'unfinished'],
      ],
      ['beyond what is asked for now', { finished: 2 }, to(1), [FOLDER, 'new']],
      [
        'stopped',
        { finished: 1, done: { status: 'stopped', num_iterations: 3 } },
        to(3),
        [older, 'unfinished'],
      ],
      [
        'at a limit, with a higher one now',
        { finished: 1, done: { status: 'limit_reached' } },
        to(3, { limits: { max_lm_calls: 9 } }),
        [older, 'unfinished'],
      ],
      ['failed', { finished: 0, done: { status: 'failed' } }, to(3), [older, 'unfinished']],
      [
        'half-way, at another pace',
        { finished: 1 },
        evolveConfigWith({ evolution: { num_iterations: 3, concurrency: 1 } }),
        [older, 'unfinished'],
      ],
      ['half-way, with another seed', { finished: 1 }, to(3, { seed: 5 }), [FOLDER, 'new']],
      [
        'half-way, with other examples',
        { finished: 1, data: { ...DATA, valid: DATA.train } },
        to(3),
        [FOLDER, 'new'],
      ],
      ['finished', { finished: 3, done: ended(3) }, to(3), [FOLDER, 'new']],
      ['finished, with fewer asked for', { finished: 3, done: ended(3) }, to(2), [FOLDER, 'new']],
      ['finished, with more asked for', { finished: 3, done: ended(3) }, to(5), [older, 'extends']],
      [
        'finished, with more and another model',
        { finished: 3, done: ended(3) },
        to(5, { models: { executor: 'simulated/x' } }),
        [FOLDER, 'new'],
      ],
      ['being extended', { finished: 4, config: to(5), done: ended(3) }, to(5), [older, 'unfinished']],
      [
        'being extended, with even more asked for',
        { finished: 4, config: to(5), done: ended(3) },
        to(6),
        [older, 'unfinished'],
      ],
      [
        'being extended, with the first length asked for again',
        { finished: 4, config: to(5), done: ended(3) },
        to(3),
        [FOLDER, 'new'],
      ],
    ];
    test.each(cases)('%s', async (_what, { config = to(3), ...there }, asked, expected) => {
      const results = await makeResults();
      await experiment(results.within(older), config, there);
      expect(await choice(results, asked)).toEqual(expected);
    });

    test('is a new one that says what keeps the newest unfinished one of its name from being continued', async () => {
      const results = await makeResults();
      const leftBy = async (asked: EvolveConfig) =>
        (await chooseEvolveFolder(results, asked, NOW, { data: DATA })).left;
      await experiment(results.within('evolve_20250303_000000'), to(3), { finished: 3, done: ended(3) });
      expect(await leftBy(to(3, { seed: 5 }))).toBeUndefined();
      await experiment(results.within('evolve_20250101_000000'), to(3), { finished: 1 });
      expect(await leftBy(to(3, { seed: 5 }))).toEqual({
        id: 'evolve_20250101_000000',
        differs: 'seed',
      });
      const data = { ...DATA, valid: DATA.train };
      await experiment(results.within('evolve_20250202_000000'), to(3), { finished: 1, data });
      expect(await leftBy(to(3, { seed: 5 }))).toMatchObject({ differs: 'seed' });
      await results.within('evolve_20250101_000000').write('metrics.json', JSON.stringify(ended(3)));
      expect(await leftBy(to(3))).toEqual({
        id: 'evolve_20250202_000000',
        differs: 'the content of the dataset',
      });
    });

    test('is the newest unfinished one, before any that could be extended', async () => {
      const results = await makeResults();
      await experiment(results.within('evolve_20250101_000000'), to(3), { finished: 1 });
      await experiment(results.within('evolve_20250202_000000'), to(3), { finished: 1 });
      await experiment(results.within('evolve_20250303_000000'), to(3), { finished: 3, done: ended(3) });
      await experiment(results.within('evolve_20250404_000000'), to(3, { seed: 8 }), { finished: 0 });
      expect(await choice(results, to(5))).toEqual(['evolve_20250202_000000', 'unfinished']);
    });

    test('is the newest finished one where none is unfinished', async () => {
      const results = await makeResults();
      for (const name of ['evolve_20250101_000000', 'evolve_20250202_000000']) {
        await experiment(results.within(name), to(3), { finished: 3, done: ended(3) });
      }
      expect(await choice(results, to(5))).toEqual(['evolve_20250202_000000', 'extends']);
    });

    test('is none of another name, of a run, or that cannot be read', async () => {
      const results = await makeResults();
      await experiment(results.within('evolve_more_20250101_000000'), to(3), { finished: 1 });
      await experiment(results.within('evolve_2025'), to(3), { finished: 1 });
      await experiment(results.within('evolve_20250101_000000x'), to(3), { finished: 1 });
      await results.write('evolve_20250101_000000/config.yaml', 'runtime: {}\ndataset: {}\n');
      await results.write('evolve_20250102_000000/config.yaml', 'name: [unclosed');
      await results.write('evolve_20250103_000000/metrics.json', '{');
      await results.write('evolve_notes.txt', 'mine');
      expect(await choice(results, to(3))).toEqual([FOLDER, 'new']);
    });

    test('is not one that was made in the same second', async () => {
      const results = await makeResults();
      await experiment(results.within(FOLDER), to(3), { finished: 3, done: ended(3) });
      expect(await choice(results, to(3))).toEqual(['evolve_20260201_000000', 'new']);
    });

    test('is the same when it is chosen again before anything was written, and when it was', async () => {
      const results = await makeResults();
      await results.write(`${FOLDER}/data/train.jsonl`, '');
      expect(await choice(results, to(3))).toEqual([FOLDER, 'new']);
      await experiment(results.within(FOLDER), to(3), { finished: -1 });
      expect(await choice(results, to(3))).toEqual([FOLDER, 'unfinished']);
    });

    test('has a name that is fit for one, whatever the experiment is called', async () => {
      const named = to(3, { name: 'Größe: 24 / zweiter Versuch' });
      expect(await choice(await makeResults(), named)).toEqual([
        'Gro-e-24-zweiter-Versuch_20260131_235959',
        'new',
      ]);
    });
  });

  describe('the state of an experiment', () => {
    test('is what its last finished iteration left', async () => {
      const store = await makeResults();
      expect(await latestEvolveState(store)).toBeNull();
      await experiment(store, to(12), { finished: 11 });
      await store.write('state/notes.json', '{}');
      expect((await latestEvolveState(store))?.next_iteration).toBe(12);
    });
  });
}
