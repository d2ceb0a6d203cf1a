import { describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../../../src/contracts/execution.js';
import type { RunStatus } from '../../../../src/contracts/results.js';
import { ExecutionStore, executionRecordOf } from '../../../../src/kinds/run/activities/execution-record.js';
import { createFinalizeRun } from '../../../../src/kinds/run/activities/finalize-run.js';
import { writeBatch } from '../../../../src/kinds/run/activities/journal-file.js';
import { createWritePart, expandEpisode } from '../../../../src/kinds/run/activities/write-part.js';
import type { CompactEpisode, RunPlan } from '../../../../src/kinds/run/contracts.js';
import { everyJournalPrefix } from '../../../../src/kinds/run/paths.js';
import type { Metrics } from '../../../../src/kinds/run/results.js';
import { artifactKeys, executionsPrefix } from '../../../../src/storage/paths.js';
import { keys, runContext, temporaryStore } from '../../../activities/support.js';
import { activitiesOf, preparedRun } from '../../../activities/worker-support.js';
import { ended } from '../../../agents/cheatsheet-bench.js';
import { experience } from '../../../memory/support.js';
import { configOf } from '../../../support/configs.js';
import { call, step } from '../../../support/rows.js';

const config = configOf({
  dataset: { items: [1, 2, 3].map((number) => ({ question: `q${number}`, answer: 'gold' })) },
  agent: { type: 'dynamic_cheatsheet_agent', use_code_execution: true },
});

const record = (sample_id: string, ordinal: number, result: Partial<ExecutionResult> = {}) =>
  executionRecordOf(
    { sample_id, trial: 0, ordinal },
    { code: `print(${ordinal})`, timeout_sec: 3 },
    config.sandbox,
    ended({ stdout: `${sample_id} ${ordinal}`, ...result }),
  );

const compact = (index: number, executions?: number): CompactEpisode => ({
  index,
  id: `s${index}`,
  steps: [step(true)],
  calls: [['act', 0, 0]],
  ...(executions === undefined ? {} : { executions }),
  reward: 1,
  at: 1000,
  took: 500,
});

/** A run of three samples: the first ran two programs, the second none, the third one, after which it was cut off. */
async function finished(status: RunStatus) {
  const store = await temporaryStore();
  const run = await preparedRun(store, config);
  const executions = new ExecutionStore(store);
  for (const one of [record('s0', 0), record('s0', 1, { status: 'error' }), record('s2', 0)])
    await executions.save(one);
  const episodes = [compact(0, 2), compact(1), ...(status === 'done' ? [compact(2, 1)] : [])];
  for (const { index } of episodes) {
    const answered = call({ sample_id: `s${index}` });
    await runContext(store, config).calls.save({ record: answered, answer: null });
  }
  await writeBatch(store, { run, execution: 'e', lane: 0, sequence: 0, from: 0, entries: [experience('a')] });
  const worker = activitiesOf((runs, dependencies) => ({
    writePart: createWritePart(runs),
    finalizeRun: createFinalizeRun(runs, dependencies),
  }));
  const part = { run, execution: 'e', sequence: 0, by: 'by', episodes };
  await worker.writePart(part);
  const plan = {
    run,
    artifacts: store.uri,
    experiment: 'experiment',
    execution: 'e',
    samples_planned: 3,
    spent_wall_seconds: 0,
  } as RunPlan;
  const finalize = (): Promise<Metrics> =>
    worker.finalizeRun({ plan, status, message: null, started_at: 0, ended_at: 1000 });
  return { store, finalize, metrics: await finalize() };
}

async function rows(store: Awaited<ReturnType<typeof temporaryStore>>, key: string): Promise<object[]> {
  const text = await store.readText(key);
  return (text ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
}

test('an episode is expanded with its programs; one whose sandbox failed for good has no record', async () => {
  const store = await temporaryStore();
  const run = runContext(store, config);
  await run.executions.save(record('s0', 0));
  await run.executions.save(record('s0', 2));
  await run.executions.save(record('s1', 0));
  const { episode, executions } = await expandEpisode(run, compact(0, 3));
  expect(episode.executions).toBe(3);
  expect(executions).toEqual([
    expect.objectContaining({ sample_id: 's0', ordinal: 0 }),
    expect.objectContaining({ sample_id: 's0', ordinal: 2 }),
  ]);
  const none = await expandEpisode(run, compact(1));
  expect(none.executions).toEqual([]);
  expect(none.episode).not.toHaveProperty('executions');
});

describe('executions.jsonl', () => {
  test('has a row a program, those of a cut-off episode last, and the metrics count them all', async () => {
    const { store, metrics } = await finished('limit_reached');
    expect(await rows(store, artifactKeys.executions)).toMatchObject([
      { sample_id: 's0', trial: 0, ordinal: 0, status: 'ok', code: 'print(0)', stdout: 's0 0' },
      { sample_id: 's0', trial: 0, ordinal: 1, status: 'error' },
      { sample_id: 's2', trial: 0, ordinal: 0 },
    ]);
    expect(metrics).toMatchObject({ code_executions: 3, code_executions_failed: 1 });
    expect(await rows(store, artifactKeys.results)).toMatchObject([
      { id: 's0', code_executions: 2 },
      { id: 's1' },
    ]);
    expect((await rows(store, artifactKeys.results))[1]).not.toHaveProperty('code_executions');
  });

  test('is the same where the end of the run is written twice', async () => {
    const { store, finalize, metrics } = await finished('limit_reached');
    const before = await store.readText(artifactKeys.executions);
    expect(await finalize()).toMatchObject({ code_executions: metrics.code_executions });
    expect(await store.readText(artifactKeys.executions)).toBe(before);
  });

  test('takes the place of the single results once the run is done; an unfinished run keeps them', async () => {
    for (const [status, kept] of [
      ['done', 0],
      ['limit_reached', 3],
    ] as const) {
      const { store } = await finished(status);
      expect(await keys(store, executionsPrefix())).toHaveLength(kept);
      expect((await keys(store, everyJournalPrefix())).length > 0).toBe(kept > 0);
      expect(await rows(store, artifactKeys.executions)).toHaveLength(3);
    }
  });

  test('is not there where no program was run', async () => {
    const store = await temporaryStore();
    const run = await preparedRun(store, config);
    const worker = activitiesOf((runs, dependencies) => ({
      finalizeRun: createFinalizeRun(runs, dependencies),
    }));
    const plan = { run, artifacts: store.uri, execution: 'e', samples_planned: 3, spent_wall_seconds: 0 };
    const metrics = await worker.finalizeRun({
      plan: plan as RunPlan,
      status: 'stopped',
      message: null,
      started_at: 0,
      ended_at: 1000,
    });
    expect(await store.exists(artifactKeys.executions)).toBe(false);
    expect(metrics).not.toHaveProperty('code_executions');
  });
});
