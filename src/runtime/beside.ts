import type { Spending } from '../contracts/experiment.js';
import type { CallRecord, Usage } from '../contracts/language-model.js';
import type { Beside, Unrecorded } from '../contracts/step-cost.js';
import { addCosts } from './add-costs.js';

/** Adds reasoning tokens, as far as they are known. */
function addReasoning(left: Usage, right: Usage): Pick<Usage, 'reasoning_tokens'> {
  const { reasoning_tokens: one } = left;
  const { reasoning_tokens: other } = right;
  return one === undefined && other === undefined ? {} : { reasoning_tokens: (one ?? 0) + (other ?? 0) };
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    ...addReasoning(left, right),
  };
}

/** Adds two; null if there are none. */
export function addUnrecorded(
  left: Unrecorded | null | undefined,
  right: Unrecorded | null | undefined,
): Unrecorded | null {
  if (!left) return right ?? null;
  if (!right) return left;
  return {
    requests: left.requests + right.requests,
    usage: addUsage(left.usage, right.usage),
    cost_usd: addCosts(left.cost_usd, right.cost_usd),
  };
}

const COUNTS = ['lm_calls_cut_off', 'lm_calls_estimated'] as const;
type Counts = Pick<Beside, (typeof COUNTS)[number]>;

/** Combines the counts of two, without those that come to nothing. */
export function combineCounts(
  left: Counts,
  right: Counts,
  combine: (left: number, right: number) => number,
): Counts {
  const counts = COUNTS.map((name) => [name, combine(left[name] ?? 0, right[name] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** Adds two, as the fields of a total without empty ones. */
export function addBeside(left: Beside, right: Beside): Beside {
  const unrecorded = addUnrecorded(left.unrecorded, right.unrecorded);
  return {
    ...combineCounts(left, right, (one, other) => one + other),
    ...(unrecorded === null ? {} : { unrecorded }),
  };
}

/** Returns the counts of one reply. */
export function countsOfReply({
  finish_reason,
  usage_estimated,
}: Partial<Pick<CallRecord, 'finish_reason' | 'usage_estimated'>>): Counts {
  return {
    ...(finish_reason === 'length' ? { lm_calls_cut_off: 1 } : {}),
    ...(usage_estimated === true ? { lm_calls_estimated: 1 } : {}),
  };
}

/** Returns the spending that limits count: kept replies and unrecorded requests. */
export function withUnrecorded(kept: Spending, { unrecorded }: Beside): Spending {
  if (unrecorded === undefined) return kept;
  const { requests, usage, cost_usd } = unrecorded;
  return {
    lm_calls: kept.lm_calls + requests,
    unrecorded: (kept.unrecorded ?? 0) + requests,
    tokens: kept.tokens + usage.input_tokens + usage.output_tokens,
    cost_usd: addCosts(kept.cost_usd, cost_usd),
  };
}

/** Returns the cost of a number of requests that each cost as much as one reply. */
export function timesRequested(
  requests: number,
  { usage, cost_usd }: Pick<Unrecorded, 'cost_usd'> & { usage?: Usage },
): Unrecorded | null {
  if (requests === 0) return null;
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  return {
    requests,
    usage: { input_tokens: requests * input_tokens, output_tokens: requests * output_tokens },
    cost_usd: cost_usd === null ? null : requests * cost_usd,
  };
}
