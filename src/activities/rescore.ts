import type { Metrics, ResultRow } from '../contracts/results.js';
import { environmentName } from '../environments/registry.js';
import { checkedOutcome } from '../environments/step-outcome.js';
import { RunMetricsBuilder } from '../statistics/run-metrics.js';
import { jsonLines, readableJson, readJsonLines } from '../storage/json-lines.js';
import { artifactKeys, rescoredKeys } from '../storage/paths.js';
import type { RunContext } from './run-context.js';

export interface ChangedRow {
  id: string;
  trial: number;
  before: boolean;
  after: boolean;
  message: string;
}

export interface Rescored {
  metrics: Metrics;
  before: Metrics;
  changed: ChangedRow[];
}

/** Takes the recorded actions through the environment again. An error row stays one: nothing was answered. */
async function rescoreRow(run: RunContext, row: ResultRow, index: number): Promise<ResultRow> {
  if (row.error !== null || row.action === null) return row;
  const environment = run.environment(await run.tasks.get(index));
  let { state } = await environment.reset();
  let reward = 0;
  const actions = row.step_records?.map(({ action }) => action) ?? [row.action];
  const records: NonNullable<ResultRow['step_records']> = [];
  let feedback = row.feedback;
  for (const [step, action] of actions.entries()) {
    const outcome = checkedOutcome(await environment.step(state, action));
    const earned = outcome.reward ?? (outcome.feedback.correct ? 1 : 0);
    reward += earned;
    state = outcome.state;
    feedback = outcome.feedback;
    const obs = row.step_records?.[step]?.obs ?? '';
    records.push({ obs, action, feedback, reward: earned, done: outcome.done });
  }
  return {
    ...row,
    extracted: feedback?.extra?.extracted ?? null,
    feedback,
    reward,
    ...(row.step_records === undefined ? {} : { step_records: records }),
  };
}

/**
 * Grades a finished run's recorded answers again, without a model call, for example after the grader was mended.
 * Writes `rescored/metrics.json` and `rescored/results.jsonl` beside the originals, which stay as they are.
 */
export async function rescore(run: RunContext): Promise<Rescored> {
  const { store, config, plan } = run;
  const text = await store.readText(artifactKeys.metrics);
  const results = await store.openRead(artifactKeys.results);
  if (text === null || results === null) throw new Error(`${store.uri} holds no finished run`);
  const before = JSON.parse(text) as Metrics;
  const indices = new Map<string, number>();
  for await (const task of run.tasks.all(plan.samples_planned)) indices.set(task.id, task.index);

  const builder = new RunMetricsBuilder(config.runtime.num_trials);
  const changed: ChangedRow[] = [];
  await store.writeStream(
    rescoredKeys.results,
    jsonLines(
      (async function* () {
        for await (const row of readJsonLines<ResultRow>(results)) {
          const graded = await rescoreRow(run, row, indices.get(row.id) ?? -1);
          builder.add(graded, []);
          const [was, is] = [row.feedback?.correct === true, graded.feedback?.correct === true];
          if (was !== is) {
            const { id, trial } = row;
            changed.push({ id, trial, before: was, after: is, message: graded.feedback?.message ?? '' });
          }
          yield graded;
        }
      })(),
    ),
  );
  const { usage, cost_usd, lm_calls, lm_calls_repeated, lm_calls_cached, ...facts } = before;
  const regraded = builder.finish({
    ...facts,
    num_trials: config.runtime.num_trials,
    environment: environmentName(config.dataset),
  });
  const metrics = { ...regraded, usage, cost_usd, lm_calls, lm_calls_repeated, lm_calls_cached };
  await store.write(rescoredKeys.metrics, readableJson(metrics));
  return { metrics, before, changed };
}
