import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { EvolveContexts } from '../../../../src/kinds/evolve/activities/evolve-context.js';
import { createFinishIteration } from '../../../../src/kinds/evolve/activities/iteration-files.js';
import { writeScaffold } from '../../../../src/kinds/evolve/activities/scaffold-files.js';
import type { FinishIterationInput } from '../../../../src/kinds/evolve/contracts.js';
import { NO_IDS } from '../../../../src/kinds/evolve/evolution/ids.js';
import { noEvolveTotals } from '../../../../src/kinds/evolve/evolution/totals.js';
import { keysBelow } from '../../../../src/storage/read-ahead.js';
import { temporaryStore } from '../../../activities/support.js';
import { node } from '../../../support/experiments.js';

/** An iteration 1 that evolved `0` into `0-0`, in a folder where an attempt before it had made `1-0`. */
async function finished() {
  const store = await temporaryStore();
  for (const [iteration, id] of [
    [0, '0'],
    [0, '1'],
    [1, '0-0'],
    [1, '1-0'],
  ] as const) {
    const metadata = { created_at: '', model: null, parent_scaffold_id: null, iteration };
    const files = { 'scaffold.py': `# ${id}` };
    await writeScaffold(store, { iteration, generation: 'new', id }, { files, metadata });
  }
  const logged: unknown[] = [];
  const log = { info: (...said: unknown[]) => logged.push(said.at(-1)) };
  const contexts = { get: async () => ({ store, log: () => log }) } as unknown as EvolveContexts;
  const validated = { status: 'validated' as const, valid: [{ iteration: 1, score: 0.5 }] };
  const input: FinishIterationInput = {
    plan: { run: 'run', selection: { kind: 'top_k' } } as FinishIterationInput['plan'],
    iteration: 1,
    closing: false,
    state: {
      next_iteration: 2,
      ids: NO_IDS,
      nodes: [node('0', 0, validated), node('0-0', 1), node('1', 0)],
      selection: null,
      newcomers: ['0-0'],
      totals: noEvolveTotals(),
    },
    parents: ['0'],
    validated: [],
    trained: [],
    lines: ['[Iteration 1] Evaluating scaffold 0: validation score 0.5', '[Iteration 1] Evolved 0 into 0-0'],
  };
  await new MockActivityEnvironment().run(createFinishIteration(contexts), input);
  return { store, logged, input };
}

test('an iteration leaves its own scaffolds, and none that an attempt before it had made', async () => {
  const { store } = await finished();
  const folders = (await keysBelow(store, 'iterations/'))
    .filter((key) => key.endsWith('/scaffold.py'))
    .map((key) => key.replace(/^iterations\/(\d)\/scaffolds\/(.*)\/scaffold\.py$/, '$1 $2'));
  expect(folders).toEqual(['0 new/0', '0 new/1', '1 new/0-0', '1 old/0']);
});

test('what people were told of an iteration is in its log, with the best so far', async () => {
  const { logged, input } = await finished();
  expect(logged).toEqual([
    ...input.lines,
    'Best so far: scaffold 0 with validation score 0.5',
    'iteration finished',
  ]);
});
