import type { Spending } from '../../../contracts/experiment.js';
import type { FinishReason, Usage } from '../../../contracts/language-model.js';
import type { Spent } from '../../../contracts/progress.js';
import type { EpisodeRecord } from '../../../contracts/results.js';
import type { Beside, Repeats, StepCost, Unrecorded } from '../../../contracts/step-cost.js';
import { addCosts } from '../../../runtime/add-costs.js';
import { addBeside, countsOfReply, withUnrecorded } from '../../../runtime/beside.js';
import { addRepeats, repeatsOfCall } from '../../../runtime/repeats.js';
import { withErrors } from '../../../statistics/error-tally.js';
import type { Totals } from '../contracts.js';
import type { EmbeddingTotals } from '../results.js';

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

/** Adds what a request for vectors cost to what was paid before. */
export function addEmbeddings(before: EmbeddingTotals | null, paid: EmbeddingTotals): EmbeddingTotals {
  const { texts, input_tokens, cost_usd } = before ?? { texts: 0, input_tokens: 0, cost_usd: 0 };
  const estimated = (before?.estimated ?? 0) + (paid.estimated ?? 0);
  return {
    texts: texts + paid.texts,
    input_tokens: input_tokens + paid.input_tokens,
    ...(estimated === 0 ? {} : { estimated }),
    cost_usd: addCosts(cost_usd, paid.cost_usd),
  };
}

/** Adds what was paid for vectors to the totals. */
export function bookEmbeddings(totals: Totals, paid: EmbeddingTotals | null): void {
  totals.input_tokens += paid?.input_tokens ?? 0;
  totals.cost_usd = addCosts(totals.cost_usd, paid === null ? 0 : paid.cost_usd);
}

/** Returns the spending that limits count. */
export function spendingOfTotals(totals: Totals): Spending {
  return withUnrecorded(storedOf(totals), totals);
}

/** Returns the part of their spending whose replies are stored: whoever goes on with their lanes finds these again. */
export function storedOf(totals: Totals): Spending {
  const { lm_calls, input_tokens, output_tokens, cost_usd } = totals;
  return { lm_calls, tokens: input_tokens + output_tokens, cost_usd };
}

/** Returns the calls and costs of totals. */
export function spentOfTotals({ lm_calls, input_tokens, output_tokens, cost_usd, ...totals }: Totals): Spent {
  const usage = { input_tokens, output_tokens };
  return { lm_calls, usage, cost_usd, ...addRepeats(totals, repeatsOfCall({})), ...addBeside(totals, {}) };
}

export function addTotals(parts: readonly Totals[]): Totals {
  const sum = noTotals();
  const { cost_usd: _cost, lm_calls_repeated: _repeated, ...counts } = sum;
  for (const part of parts) {
    for (const key of Object.keys(counts) as (keyof Omit<
      Totals,
      keyof Beside | keyof Repeats | 'cost_usd' | 'errors_by_type'
    >)[]) {
      sum[key] += part[key];
    }
    for (const [type, count] of Object.entries(part.errors_by_type ?? {})) countError(sum, type, count);
    sum.cost_usd = addCosts(sum.cost_usd, part.cost_usd);
    Object.assign(sum, addBeside(sum, part), addRepeats(sum, part));
  }
  return sum;
}

/** Returns the share of correct among judged samples; null before the first. Same definition as in `metrics.json`. */
export function accuracyOf(totals: Totals): number | null {
  const judged = totals.samples - totals.errors;
  return judged <= 0 ? null : totals.correct / judged;
}

/** Adds the cost of calls to the totals. */
export function bookCost(totals: Totals, cost: StepCost): void {
  totals.lm_calls += cost.lm_calls;
  totals.input_tokens += cost.usage.input_tokens;
  totals.output_tokens += cost.usage.output_tokens;
  totals.cost_usd = addCosts(totals.cost_usd, cost.cost_usd);
  Object.assign(totals, addBeside(totals, cost));
}

export function bookUnrecorded(totals: Totals, unrecorded: Unrecorded | null): void {
  if (unrecorded !== null) Object.assign(totals, addBeside(totals, { unrecorded }));
}

/**
 * Adds an answered call to the totals; `repeated` and `maybe_repeated` are those of its record, `unrecorded` includes
 * these among all unrecorded requests.
 */
export function bookCall(
  totals: Totals,
  call: {
    repeated?: number;
    maybe_repeated?: number;
    usage?: Usage;
    usage_estimated?: boolean;
    finish_reason?: FinishReason;
    cost_usd?: number | null;
    unrecorded?: Unrecorded;
  },
): void {
  const { unrecorded } = call;
  Object.assign(totals, addBeside(totals, { ...countsOfReply(call), unrecorded }));
  Object.assign(totals, addRepeats(totals, repeatsOfCall(call)));
  totals.lm_calls += 1;
  totals.input_tokens += call.usage?.input_tokens ?? 0;
  totals.output_tokens += call.usage?.output_tokens ?? 0;
  totals.cost_usd = addCosts(totals.cost_usd, call.cost_usd ?? null);
}

/** Grade of an episode, or the type of its error if it could not be judged. */
export type EpisodeOutcome = 'correct' | 'wrong' | { error: string };

export function episodeOutcome(episode: EpisodeRecord): EpisodeOutcome {
  if (episode.error !== null) return { error: episode.error.type };
  return episode.steps.at(-1)?.feedback.correct === true ? 'correct' : 'wrong';
}

/** Adds a finished episode to the totals; `before` is the outcome of the sample's earlier trial, if there was one. */
export function bookEpisode(
  totals: Totals,
  outcome: EpisodeOutcome,
  before: EpisodeOutcome | undefined,
): void {
  totals.episodes += 1;
  if (before === undefined) totals.samples += 1;
  if (before !== undefined) bookOutcome(totals, before, -1);
  bookOutcome(totals, outcome, 1);
}

function bookOutcome(totals: Totals, outcome: EpisodeOutcome, by: 1 | -1): void {
  if (outcome === 'correct') totals.correct += by;
  if (outcome === 'correct' || outcome === 'wrong') return;
  totals.errors += by;
  countError(totals, outcome.error, by);
}

function countError(totals: Totals, type: string, by: number): void {
  const counts = withErrors(totals.errors_by_type, type, by);
  if (counts === undefined) delete totals.errors_by_type;
  else totals.errors_by_type = counts;
}
