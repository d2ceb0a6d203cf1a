import type { Spending } from '../../../contracts/experiment.js';
import type { Usage } from '../../../contracts/language-model.js';
import type { Spent } from '../../../contracts/progress.js';
import type { EpisodeRecord } from '../../../contracts/results.js';
import type { Beside, Repeats, StepCost, Unkept } from '../../../contracts/step-cost.js';
import { addCosts } from '../../../runtime/add-costs.js';
import { addBeside, withUnkept } from '../../../runtime/beside.js';
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

/** What was paid for vectors, and one request more. */
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

/** Counts what was paid for vectors. */
export function bookEmbeddings(totals: Totals, paid: EmbeddingTotals | null): void {
  totals.input_tokens += paid?.input_tokens ?? 0;
  totals.cost_usd = addCosts(totals.cost_usd, paid === null ? 0 : paid.cost_usd);
}

/** What limits count. */
export function spendingOfTotals(totals: Totals): Spending {
  const { lm_calls, input_tokens, output_tokens, cost_usd } = totals;
  return withUnkept({ lm_calls, tokens: input_tokens + output_tokens, cost_usd }, totals);
}

/** What of totals is money and calls. */
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

/** Correct of judged samples; null before the first. The same definition as in `metrics.json`. */
export function accuracyOf(totals: Totals): number | null {
  const judged = totals.samples - totals.errors;
  return judged <= 0 ? null : totals.correct / judged;
}

/** Counts what calls have cost. */
export function bookCost(totals: Totals, cost: StepCost): void {
  totals.lm_calls += cost.lm_calls;
  totals.input_tokens += cost.usage.input_tokens;
  totals.output_tokens += cost.usage.output_tokens;
  totals.cost_usd = addCosts(totals.cost_usd, cost.cost_usd);
  Object.assign(totals, addBeside(totals, cost));
}

/** Counts requests whose reply is not kept. */
export function bookUnkept(totals: Totals, unkept: Unkept | null): void {
  if (unkept !== null) Object.assign(totals, addBeside(totals, { unkept }));
}

/**
 * Counts an answered call; `repeated` and `maybe_repeated` are those of its record, `unkept` all requests whose reply is
 * not kept, those among them.
 */
export function bookCall(
  totals: Totals,
  call: {
    repeated?: number;
    maybe_repeated?: number;
    usage?: Usage;
    usage_estimated?: boolean;
    cost_usd?: number | null;
    unkept?: Unkept;
  },
): void {
  const { usage_estimated, unkept } = call;
  Object.assign(totals, addBeside(totals, { lm_calls_estimated: Number(usage_estimated === true), unkept }));
  Object.assign(totals, addRepeats(totals, repeatsOfCall(call)));
  totals.lm_calls += 1;
  totals.input_tokens += call.usage?.input_tokens ?? 0;
  totals.output_tokens += call.usage?.output_tokens ?? 0;
  totals.cost_usd = addCosts(totals.cost_usd, call.cost_usd ?? null);
}

/** How an episode was judged; by the type of its error where it could not be. */
export type Standing = 'correct' | 'wrong' | { error: string };

export function standingOf(episode: EpisodeRecord): Standing {
  if (episode.error !== null) return { error: episode.error.type };
  return episode.steps.at(-1)?.feedback.correct === true ? 'correct' : 'wrong';
}

/** Books a finished episode; `before` is the standing that the sample's earlier trial left, if there was one. */
export function bookEpisode(totals: Totals, standing: Standing, before: Standing | undefined): void {
  totals.episodes += 1;
  if (before === undefined) totals.samples += 1;
  if (before !== undefined) bookStanding(totals, before, -1);
  bookStanding(totals, standing, 1);
}

function bookStanding(totals: Totals, standing: Standing, by: 1 | -1): void {
  if (standing === 'correct') totals.correct += by;
  if (standing === 'correct' || standing === 'wrong') return;
  totals.errors += by;
  countError(totals, standing.error, by);
}

function countError(totals: Totals, type: string, by: number): void {
  const counts = withErrors(totals.errors_by_type, type, by);
  if (counts === undefined) delete totals.errors_by_type;
  else totals.errors_by_type = counts;
}
