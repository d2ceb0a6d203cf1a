import { expect, test } from 'vitest';
import { heldIn } from '../../src/activities/folder-contents.js';
import { contentsOfAgentEval } from '../../src/kinds/agent-eval/contents.js';
import { rolloutResultKey } from '../../src/kinds/agent-eval/paths.js';
import { contentsOfEvolution } from '../../src/kinds/evolve/contents.js';
import { evolveStateKey, scaffoldRunKey } from '../../src/kinds/evolve/paths.js';
import { contentsOfJudgement } from '../../src/kinds/judge/contents.js';
import { writePart } from '../../src/kinds/run/activities/part-file.js';
import { contentsOfRun } from '../../src/kinds/run/contents.js';
import { partKey } from '../../src/kinds/run/paths.js';
import { callKey } from '../../src/storage/paths.js';
import { rolloutRow } from '../support/rollout-rows.js';
import { row } from '../support/rows.js';
import { episodeLine, temporaryStore } from './support.js';

test('the folder of a run that was cut off holds rows, each counted once, and answered calls', async () => {
  const store = await temporaryStore();
  const line = (index: number, trial: number, outcome: string) =>
    episodeLine(index, trial, { row: row(`s${index}`, trial, outcome) });
  await writePart(store, partKey('a', 0, 'w0'), [line(0, 0, 'no'), line(0, 1, 'yes'), line(1, 0, 'timeout')]);
  await writePart(store, partKey('b', 0, 'w0'), [line(0, 0, 'no'), line(2, 0, 'no')]);
  for (const key of ['aaa', 'bbb', 'ccc', 'ddd', 'eee']) await store.write(callKey(key), '{}');
  expect(await heldIn(store, contentsOfRun)).toEqual({
    samples: 3,
    correct: 1,
    errors: 1,
    episodes: 4,
    answered_calls: 5,
  });
});

test('that of an evaluation holds rollouts, errors apart', async () => {
  const store = await temporaryStore();
  const rows = [
    rolloutRow('a', 0, 1),
    rolloutRow('a', 1, null, { status: 'user_fault' }),
    rolloutRow('b', 0, null, { status: 'error' }),
  ];
  for (const one of rows) {
    const stored = JSON.stringify({ execution: 'e', row: one });
    await store.write(rolloutResultKey(one.task_id, one.trial), stored);
  }
  expect(await heldIn(store, contentsOfAgentEval)).toEqual({
    rollouts: 2,
    errors: 1,
    answered_calls: 0,
  });
});

test('that of an evolution holds iterations and runs of scaffolds', async () => {
  const store = await temporaryStore();
  for (const key of [evolveStateKey(0), evolveStateKey(1), scaffoldRunKey('abc')])
    await store.write(key, '{}');
  expect(await heldIn(store, contentsOfEvolution)).toEqual({
    iterations: 2,
    scaffold_runs: 1,
    answered_calls: 0,
  });
});

test('that of a judgement holds the replies of the judge', async () => {
  const store = await temporaryStore();
  await store.write(callKey('aaa'), '{}');
  expect(await heldIn(store, contentsOfJudgement)).toEqual({ answered_calls: 1 });
});
