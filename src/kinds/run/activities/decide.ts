import { heartbeating } from '../../../activities/attempt-journal.js';
import type { OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { ResultRow } from '../../../contracts/results.js';
import { AnytimeMean } from '../../../statistics/anytime.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { artifactKeys } from '../../../storage/paths.js';
import { keysBelow } from '../../../storage/read-ahead.js';
import { readJson, readRows } from '../../../storage/stored-file.js';
import { rowScores } from '../comparison.js';
import type { RunActivities } from '../contracts.js';
import { knownText } from '../facts.js';
import { baselineKey, partsPrefix } from '../paths.js';
import type { Known } from '../results.js';
import type { RunConfig } from '../schema.js';
import { MergedParts } from './part-file.js';
import type { RunContexts } from './run-context.js';

/** Samples after which a run is refused that has none of the other's. */
const STRANGERS = 10;

type StopWhen = NonNullable<RunConfig['limits']['stop_when']>;

/** Returns a row's score, right as 1; null if it has none. @throws InvalidInputError if it is not from 0 to 1. */
function scoreIn(row: ResultRow, score: string): number | null {
  const value = rowScores(row)?.[score];
  if (value === undefined) return null;
  const number = Number(value);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidInputError(
    `limits.stop_when.score: ${score} of the sample ${row.id} is ${number}; when enough is known can be said of scores from 0 to 1`,
    'limits.stop_when.score',
  );
}

/** Scores of the run that another one is compared with, of the last trials, by sample; null: it has none. */
type Baseline = Record<string, number | null>;

/**
 * Keeps the scores of the run that `limits.stop_when.against` names beside those of a new one.
 * @throws InvalidInputError if it has no results.
 */
export async function keepBaseline(
  store: ArtifactStore,
  { limits: { stop_when } }: Pick<RunConfig, 'limits'>,
  openStore: OpenStore,
): Promise<void> {
  if (stop_when?.against == null) return;
  const { against, score } = stop_when;
  const other = openStore(against);
  if (!(await other.exists(artifactKeys.results))) {
    const why = `limits.stop_when.against: ${against} has no ${artifactKeys.results}; name the folder of a run that has ended`;
    throw new InvalidInputError(why, 'limits.stop_when.against');
  }
  const baseline: Baseline = {};
  for await (const row of readRows<ResultRow>(other, artifactKeys.results))
    baseline[row.id] = scoreIn(row, score);
  await store.write(baselineKey(), JSON.stringify(baseline));
}

/** Reports whether a sample has no further trial. @param row of its last one so far */
function isFinished(row: ResultRow, trials: number, runtime: RunConfig['runtime']): boolean {
  const isEnough = runtime.early_stop_on_success && row.feedback?.correct === true;
  return trials >= runtime.num_trials || row.error !== null || isEnough;
}

/**
 * Determines what a run's samples tell so far, up to the first that is not finished; null if none is judged.
 * @throws InvalidInputError if that cannot be said of their scores, or none of many is in the other run.
 */
export async function knownSoFar(
  store: ArtifactStore,
  parts: MergedParts,
  { runtime, limits: { stop_when } }: Pick<RunConfig, 'runtime' | 'limits'>,
): Promise<Known | null> {
  if (stop_when === null) return null;
  const { interval, score, against } = stop_when;
  const baseline = against === null ? null : await readJson<Baseline>(store, baselineKey());
  // A difference has twice the range.
  const mean = new AnytimeMean(against === null || interval === null ? interval : interval / 2);
  let [next, strangers] = [0, 0];
  for await (const trials of parts.samples()) {
    const last = trials.at(-1);
    if (last?.index !== next || !isFinished(last.row, trials.length, runtime)) break;
    next += 1;
    const value = scoreIn(last.row, score);
    const other = baseline === null ? 0 : baseline[last.row.id];
    if (other === undefined) strangers += 1;
    if (value === null || other == null) continue;
    mean.add(baseline === null ? value : (1 + value - other) / 2);
  }
  if (strangers === next && next >= STRANGERS) {
    const why = `limits.stop_when.against: none of the first ${next} samples is in ${against}; samples are paired by their ids`;
    throw new InvalidInputError(why, 'limits.stop_when.against');
  }
  if (mean.count === 0) return null;
  const scaled = (one: number) => (baseline === null ? one : 2 * one - 1);
  const [low, high] = mean.interval;
  return {
    score,
    samples: mean.count,
    estimate: scaled(mean.mean),
    interval: [scaled(low), scaled(high)],
    ...(against === null ? {} : { against }),
  };
}

/** Returns why enough is known; null if it is not. */
function decision(known: Known, { interval: wanted }: StopWhen): string | null {
  const [low, high] = known.interval;
  const found = `${known.score} is ${knownText(known)} after ${known.samples} samples in order`;
  if (wanted !== null && (high - low) / 2 <= wanted) return `limits.stop_when.interval: ${found}`;
  const isSure = known.against !== undefined && (low > 0 || high < 0);
  return isSure ? `limits.stop_when.against: ${found}, against ${known.against}` : null;
}

/** Creates the activity that reports whether a run may end because enough is known (`limits.stop_when`). */
export function createDecide(runs: RunContexts): RunActivities['decide'] {
  return ({ run: reference, execution }) =>
    heartbeating(async () => {
      const { store, config } = await runs.get(reference);
      const parts = await MergedParts.open(store, await keysBelow(store, partsPrefix(execution)));
      const known = await knownSoFar(store, parts, config);
      return known === null ? null : decision(known, config.limits.stop_when as StopWhen);
    });
}
