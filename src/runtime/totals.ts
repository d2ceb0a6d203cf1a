import type { EpisodeRecord } from '../contracts/results.js';
import type { Totals } from '../contracts/run.js';

export function noTotals(): Totals {
  return {
    samples: 0,
    correct: 0,
    errors: 0,
    episodes: 0,
    lm_calls: 0,
    lm_calls_repeated: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  };
}

export function addTotals(parts: readonly Totals[]): Totals {
  const sum = noTotals();
  for (const part of parts) {
    for (const key of Object.keys(sum) as (keyof Totals)[]) {
      if (key === 'cost_usd') continue;
      sum[key] += part[key];
    }
    sum.cost_usd = sum.cost_usd === null || part.cost_usd === null ? null : sum.cost_usd + part.cost_usd;
  }
  return sum;
}

/** Correct of judged samples; null before the first. The same definition as in `metrics.json`. */
export function accuracyOf(totals: Totals): number | null {
  const judged = totals.samples - totals.errors;
  return judged <= 0 ? null : totals.correct / judged;
}

export type Standing = 'correct' | 'wrong' | 'error';

export function standingOf(episode: EpisodeRecord): Standing {
  if (episode.error !== null) return 'error';
  return episode.steps.at(-1)?.feedback.correct === true ? 'correct' : 'wrong';
}

/** Books a finished episode; `before` is the standing that the sample's earlier trial left, if there was one. */
export function bookEpisode(totals: Totals, standing: Standing, before: Standing | undefined): void {
  totals.episodes += 1;
  if (before === undefined) totals.samples += 1;
  if (before === 'correct') totals.correct -= 1;
  if (before === 'error') totals.errors -= 1;
  if (standing === 'correct') totals.correct += 1;
  if (standing === 'error') totals.errors += 1;
}
