import type { Allotment, Amounts } from '../contracts/allotment.js';
import type { Limits, Spending } from '../contracts/run.js';
import { roomForCalls } from './budget.js';

const NANO = 1e9;

export const NOTHING: Amounts = { lm_calls: 0, tokens: 0, nanodollars: 0 };

/** What was spent, for a budget. A cost that is not known counts as none. */
export function amountsOf({ lm_calls, tokens, cost_usd }: Spending): Amounts {
  // Sums of prices end in …0001; what is less than a thousandth of a unit is no money.
  return { lm_calls, tokens, nanodollars: Math.ceil((cost_usd ?? 0) * NANO - 1e-3) };
}

/** The limits of a run as amounts; calls without a limit are as many as can be counted. */
export function allotmentOf({ max_lm_calls, max_tokens, max_cost_usd }: Limits): Allotment {
  return {
    lm_calls: max_lm_calls ?? Number.MAX_SAFE_INTEGER,
    tokens: max_tokens,
    nanodollars: max_cost_usd === null ? null : Math.ceil(max_cost_usd * NANO - 1e-3),
  };
}

/** Combines two, figure by figure. A figure without a limit stays one. */
export function combine(
  left: Allotment,
  right: Allotment | Amounts,
  one: (left: number, right: number) => number,
): Allotment {
  const limited = (of: number | null, by: number | null) => (of === null || by === null ? null : one(of, by));
  return {
    lm_calls: one(left.lm_calls, right.lm_calls),
    tokens: limited(left.tokens, right.tokens),
    nanodollars: limited(left.nanodollars, right.nanodollars),
  };
}

export const plus = (left: Allotment, right: Allotment | Amounts) => combine(left, right, (a, b) => a + b);
export const minus = (left: Allotment, right: Allotment | Amounts) => combine(left, right, (a, b) => a - b);
export const larger = (left: Allotment, right: Allotment | Amounts) => combine(left, right, Math.max);

export function isSame(left: Allotment, right: Allotment): boolean {
  const { lm_calls, tokens, nanodollars } = left;
  return lm_calls === right.lm_calls && tokens === right.tokens && nanodollars === right.nanodollars;
}

/** Whether something is left of every figure. */
export function isLeft({ lm_calls, tokens, nanodollars }: Allotment): boolean {
  return lm_calls > 0 && (tokens ?? 1) > 0 && (nanodollars ?? 1) > 0;
}

/**
 * How many calls may begin beside those that are open, by the mean of the calls so far. While none is open what is left
 * admits one, whatever it may cost: so a limit is passed by no more than the calls in flight cost, and always reached.
 */
export function roomWithin(limit: Allotment, spent: Amounts, open: number): number {
  if (!isLeft(minus(limit, spent))) return 0;
  const { lm_calls, tokens, nanodollars } = limit;
  const limits = {
    max_lm_calls: lm_calls,
    max_tokens: tokens,
    max_cost_usd: nanodollars,
    max_wall_seconds: null,
  };
  // It compares dollars with dollars, in whatever unit.
  const spending = { lm_calls: spent.lm_calls, tokens: spent.tokens, cost_usd: spent.nanodollars };
  return Math.max(0, roomForCalls(limits, spending, open));
}
