import type { EpisodeError, ResultRow, StepRecord, TaskRow } from '../../../contracts/results.js';
import { environmentName } from '../../../environments/registry.js';
import { addBeside } from '../../../runtime/beside.js';
import { addRepeats, sumRepeats } from '../../../runtime/repeats.js';
import { sumOf } from '../../../statistics/sums.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLines, readableJson, readJsonLines } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import { EpochAnswers } from '../epoch-answers.js';
import { RunMetricsBuilder } from '../metrics.js';
import { rescoredKeys } from '../paths.js';
import type { Metrics } from '../results.js';
import type { RunConfig } from '../schema.js';
import { isPython } from '../scorers/own-scorer.js';
import type { ScorerConfig } from '../scorers/schema.js';
import type { RunContext } from './run-context.js';
import { scoreRow } from './score-row.js';

interface ChangedRow {
  id: string;
  trial: number;
  /** Grade before and after; null for an error row. */
  before: boolean | null;
  after: boolean | null;
  message: string;
}

export interface Rescored {
  metrics: Metrics;
  before: Metrics;
  changed: ChangedRow[];
}

/** Returns the actions of an episode in order: those of its steps, and the one that could not be judged. */
export function actionsOf({ action, steps, step_records, unjudged }: ResultRow): string[] {
  const taken =
    step_records?.map((record) => record.action) ?? (steps > 0 && action !== null ? [action] : []);
  return unjudged === undefined ? taken : [...taken, unjudged];
}

/**
 * Repeats the recorded actions in the environment. An error row remains one if it has no answer, or if its episode
 * would continue: only the model knows the next action.
 */
async function rescoreRow(run: RunContext, row: TaskRow, index: number): Promise<TaskRow> {
  const actions = actionsOf(row);
  if (actions.length === 0 || (row.error !== null && row.unjudged === undefined)) return row;
  const environment = run.playable(await run.tasks.get(index));
  const begun = await environment.begin();
  const taken: StepRecord[] = [];
  if ('error' in begun) return unjudgedRow(row, taken, { action: actions[0] as string, error: begun.error });
  let { state, obs } = begun;
  for (const action of actions) {
    const answer = await environment.step(state, action);
    if ('error' in answer) return unjudgedRow(row, taken, { action, error: answer.error });
    const { feedback, done, info } = answer;
    const reward = answer.reward ?? (feedback.correct ? 1 : 0);
    taken.push({ obs, action, feedback, reward, done, ...(info === undefined ? {} : { info }) });
    state = answer.state ?? null;
    obs = answer.obs ?? '';
  }
  const last = taken.at(-1);
  const isOver = last?.done === true || taken.length === run.config.runtime.max_steps_per_episode;
  if (row.unjudged !== undefined && !isOver) return row;
  const { unjudged: _unjudged, info: _info, ...rest } = row;
  return {
    ...rest,
    ...stepsOf(row, taken),
    feedback: last?.feedback ?? null,
    ...(last?.info === undefined ? {} : { info: last.info }),
    reward: sumOf(taken.map(({ reward }) => reward)),
    error: null,
  };
}

function unjudgedRow(
  row: TaskRow,
  taken: StepRecord[],
  { action, error }: { action: string; error: EpisodeError },
): TaskRow {
  const { step_records: _records, info: _info, ...rest } = row;
  return { ...rest, ...stepsOf(row, taken), feedback: null, reward: null, error, unjudged: action };
}

function stepsOf(row: ResultRow, taken: StepRecord[]) {
  const last = taken.at(-1);
  const observed = taken.map((step, at) => ({ ...step, obs: row.step_records?.[at]?.obs ?? step.obs }));
  return {
    action: last?.action ?? null,
    extracted: last?.feedback.extra?.extracted ?? null,
    truncated: last?.done === true ? undefined : (true as const),
    steps: taken.length,
    ...(taken.length > 1 ? { step_records: observed } : {}),
  };
}

/** Reports whether a scorer asks no model and runs no program of the sandbox. */
const isLocal = (scorer: ScorerConfig) =>
  !['model_graded', 'similarity'].includes(scorer.type) && (scorer.type !== 'code' || !isPython(scorer));

/** Scores a row by its local scorers again; scores of others stay. */
async function scoredAgain(run: RunContext, row: TaskRow, index: number): Promise<TaskRow> {
  const entries = Object.entries(run.config.scorers);
  const local = Object.fromEntries(entries.filter(([, scorer]) => isLocal(scorer)));
  const stay = Object.keys(run.config.scorers).filter((name) => !(name in local));
  const kept = <Value>(values: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => stay.includes(name.split('.')[0] as string)),
    );
  const { scores: _scores, unscored: _unscored, ...rest } = row;
  if (row.error !== null || entries.length === 0) return rest;
  const task = () => run.tasks.get(index);
  const { scores, unscored } = await scoreRow(run, { task, row, calls: [] }, local);
  const why = { ...kept(row.unscored), ...unscored };
  return {
    ...rest,
    scores: { ...kept(row.scores), ...scores },
    ...(Object.keys(why).length === 0 ? {} : { unscored: why }),
  };
}

/** Optional figures of rows: computed anew, and absent where the regraded rows have none. */
const OF_ROWS = [
  'error_causes',
  'first_warning',
  'trials_judged',
  'mean_over_trials',
  'mean_over_trials_stderr',
  'mean_over_trials_interval',
  'clustered_by',
  'scores',
  'unscored',
  'agreement',
  'by',
  'by_others',
  'figure_warnings',
  'reducers',
  'score_reducers',
] as const satisfies (keyof Metrics)[];

/** Reads the rows of a finished run. The file is opened at the first row, so not at all if writing fails before. */
export async function* rowsOf(store: ArtifactStore): AsyncGenerator<TaskRow> {
  const results = await store.openRead(artifactKeys.results);
  if (results === null) throw new Error(`${store.uri} holds no finished run`);
  yield* readJsonLines<TaskRow>(results);
}

/**
 * Grades a finished run's recorded answers again, without model calls, for example after a fix of the grader. Writes
 * `rescored/metrics.json` and `rescored/results.jsonl`; the originals stay unchanged.
 * @param grouping fields of `metrics` in place of those of the run's config
 */
export async function rescore(
  run: RunContext,
  grouping: Partial<RunConfig['metrics']> = {},
): Promise<Rescored> {
  const { store, config } = run;
  const text = await store.readText(artifactKeys.metrics);
  if (text === null) throw new Error(`${store.uri} holds no finished run`);
  const before = JSON.parse(text) as Metrics;
  const indices = new Map<string, number>();
  for await (const task of run.tasks.all(run.taskCount)) indices.set(task.id, task.index);

  const { scorers } = config;
  const builder = new RunMetricsBuilder({ ...config.runtime, ...config.metrics, scorers, ...grouping });
  const answers = new EpochAnswers(config, { ...config.metrics, ...grouping }, run.compareSymbolically);
  const changed: ChangedRow[] = [];
  await store.writeStream(
    rescoredKeys.results,
    jsonLines(
      (async function* () {
        for await (const row of rowsOf(store)) {
          const index = indices.get(row.id) ?? -1;
          const regraded = await rescoreRow(run, row, index);
          const graded = await scoredAgain(run, regraded, index);
          builder.add(await answers.counted(graded), []);
          const [was, is] = [row.feedback?.correct ?? null, graded.feedback?.correct ?? null];
          if (was !== is) {
            const { id, trial } = row;
            const message = graded.feedback?.message ?? graded.error?.message ?? '';
            changed.push({ id, trial, before: was, after: is, message });
          }
          yield graded;
        }
      })(),
    ),
  );
  const facts = { ...before };
  for (const figure of OF_ROWS) delete facts[figure];
  const { usage, cost_usd, lm_calls, lm_calls_cached } = before;
  const regraded = builder.finish({
    ...facts,
    early_stop_on_success: config.runtime.early_stop_on_success,
    environment: environmentName(config.dataset),
  });
  const metrics = {
    ...regraded,
    usage,
    cost_usd,
    lm_calls,
    ...addRepeats(sumRepeats([]), before),
    lm_calls_cached,
    ...addBeside(before, {}),
  };
  await store.write(rescoredKeys.metrics, readableJson(metrics));
  return { metrics, before, changed };
}
