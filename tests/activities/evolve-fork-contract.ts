import { describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { writeEvolveData } from '../../src/kinds/evolve/activities/evolve-data.js';
import { chooseEvolveFolder, latestEvolveState } from '../../src/kinds/evolve/folder.js';
import { copyFork, findFork, inheritedStore } from '../../src/kinds/evolve/fork.js';
import { evolveStateKey, scaffoldRunKey } from '../../src/kinds/evolve/paths.js';
import type { EvolveConfig } from '../../src/kinds/evolve/schema.js';
import { callKey, codeKey } from '../../src/storage/paths.js';
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
import { keys } from './support.js';

/** What a fork works in and what it takes along, on any store. */
export function testEvolveForks({ makeResults, openStore }: FolderSubject): void {
  // Real disks and servers on a busy machine.
  vi.setConfig({ testTimeout: 30_000 });

  describe('a fork', () => {
    const origin = 'evolve_20250101_000000';

    async function withOrigin() {
      const results = await makeResults();
      await experiment(results.within(origin), to(3), { finished: 3, done: ended(3) });
      await results.within(origin).write(codeKey(), '{"modules":{},"changes":[]}');
      const from = { experiment: `${results.uri}/${origin}`, at_iteration: 1 };
      const source = await findFork(openStore, results.uri, from);
      const forked = (iterations: number, fork: EvolveConfig['fork'] = from) => ({
        ...to(iterations, { models: { scaffolder: 'openai/gpt-4.1' } }),
        fork,
      });
      return { results, source, from, forked, options: { data: DATA, fork: source } };
    }

    test('gets a folder of its own, whatever the experiment that it begins from is called', async () => {
      const { results, source, from, forked, options } = await withOrigin();
      const chosen = await chooseEvolveFolder(results, forked(4), NOW, options);
      expect(chosen).toEqual({ experiment: FOLDER, state: 'forks', from: source });
      // Even where nothing but the beginning is different.
      expect(await choice(results, { ...to(3), fork: from }, options)).toEqual([FOLDER, 'forks']);
    });

    test('begins with the iterations up to the one it is made at, their calls and their runs', async () => {
      const { results, source } = await withOrigin();
      const target = results.within(FOLDER);
      await copyFork(source, target);
      await copyFork(source, target);
      expect(await keys(target)).toEqual(
        [
          'code.json',
          'fork.json',
          'iterations/0/scaffolds/new/0/scaffold.py',
          'iterations/0/scoring.json',
          'iterations/1/scaffolds/new/1/scaffold.py',
          'iterations/1/scoring.json',
          callKey('generate-0'),
          callKey('generate-1'),
          // Made in iteration 1; that of scaffold 1 was made in iteration 2.
          callKey('executor-0'),
          scaffoldRunKey('run-0'),
          scaffoldRunKey('run-1'),
          'state/0.json',
          'state/1.json',
        ].sort(),
      );
      expect((await latestEvolveState(target))?.nodes.map(({ id }) => id)).toEqual(['0', '1']);
      expect((await inheritedStore(target, openStore))?.uri).toBe(results.within(origin).uri);
      expect(await inheritedStore(results.within(origin), openStore)).toBeNull();
      expect(await keys(results.within(origin), 'iterations/3/')).toHaveLength(2);
    });

    test('is continued by the same fork only, and extended like any other', async () => {
      const { results, source, from, forked, options } = await withOrigin();
      const target = results.within(FOLDER);
      await copyFork(source, target);
      await experiment(target, forked(4), { finished: 2 });
      expect(await choice(results, forked(4), options)).toEqual([FOLDER, 'unfinished']);
      expect(await choice(results, forked(4, null))).toEqual(['evolve_20260201_000000', 'new']);
      const elsewhere = { ...options, fork: { ...source, at_iteration: 0 } };
      const other = forked(4, { ...from, at_iteration: 0 });
      expect(await choice(results, other, elsewhere)).toEqual(['evolve_20260201_000000', 'forks']);
      await target.write('metrics.json', JSON.stringify(ended(4)));
      await target.write(evolveStateKey(4), '{}');
      expect(await choice(results, forked(6), options)).toEqual([FOLDER, 'extends']);
    });

    test('whose copy was cut off is copied again', async () => {
      const { results, source, forked, options } = await withOrigin();
      const target = results.within(FOLDER);
      await copyFork(source, target);
      await target.delete([evolveStateKey(1)]);
      expect(await choice(results, forked(4), options)).toEqual([FOLDER, 'forks']);
      await writeEvolveData(target, DATA);
      await target.write('config.yaml', stringify(forked(4)));
      expect(await chooseEvolveFolder(results, forked(4), NOW, options)).toEqual({
        experiment: FOLDER,
        state: 'unfinished',
        from: source,
      });
    });

    test.each<[string, number, string]>([
      ['evolve_20990101_000000', 0, "there is no experiment 'evolve_20990101_000000' in "],
      [origin, 4, `'${origin}' has finished the iterations 0 to 3, not 4`],
      ['evolve_20250505_000000', 0, 'has not finished any iteration'],
    ])('of %j at %d is refused: %s', async (experiment_, at_iteration, message) => {
      const { results } = await withOrigin();
      await experiment(results.within('evolve_20250505_000000'), to(3), { finished: -1 });
      const asked = { experiment: `${results.uri}/${experiment_}`, at_iteration };
      const finding = findFork(openStore, results.uri, asked);
      await expect(finding).rejects.toMatchObject({ name: 'InvalidInputError', field: 'fork' });
      await expect(finding).rejects.toThrow(message);
    });
  });
}
