import type { Limits, Spending, SpendingLeft } from '../contracts/experiment.js';
import { dollarsText } from '../statistics/figure-text.js';

/**
 * Converts dollars to whole billionths: sums of prices end in …0001, and less than a thousandth of a billionth is
 * ignored.
 */
const nano = (dollars: number) => Math.ceil(dollars * 1e9 - 1e-3);

/** Reports whether limits count single calls: their number, tokens or cost. */
export function hasCallLimits(limits: Limits): boolean {
  return limits.max_lm_calls !== null || limits.max_tokens !== null || limits.max_cost_usd !== null;
}

/** Names the reached limit, in a sentence for people; null if none is reached. */
export function reachedLimit(limits: Limits, spent: Spending): string | null {
  const { max_lm_calls, max_tokens, max_cost_usd } = limits;
  const cost = spent.cost_usd ?? 0;
  if (max_lm_calls !== null && spent.lm_calls >= max_lm_calls) {
    const made = `limits.max_lm_calls: ${spent.lm_calls} of ${max_lm_calls} calls are made`;
    return spent.unrecorded === undefined
      ? made
      : `${made}, ${spent.unrecorded} of them for a reply that is not kept`;
  }
  if (max_tokens !== null && spent.tokens >= max_tokens) {
    return `limits.max_tokens: ${spent.tokens} of ${max_tokens} tokens are used`;
  }
  if (max_cost_usd !== null && nano(cost) >= nano(max_cost_usd)) {
    return `limits.max_cost_usd: ${dollarsText(cost)} of ${dollarsText(max_cost_usd)} are spent`;
  }
  return null;
}

/** Subtracts the spent amounts from limits. An unknown cost counts as none, as in {@link reachedLimit}. */
export function spendingLeft(limits: Limits, spent: Spending): SpendingLeft {
  const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(limit - used, 0));
  return {
    lm_calls: left(limits.max_lm_calls, spent.lm_calls),
    tokens: left(limits.max_tokens, spent.tokens),
    cost_usd: left(limits.max_cost_usd, spent.cost_usd ?? 0),
  };
}

/** Request for calls of a budget. */
export interface CallRequest {
  readonly calls: number;
  /** Accepts a partial grant, up to this share of the room; the rest must be requested again. */
  partly?: (room: number) => number;
  /**
   * Checks the limit of calls alone: the tokens and cost of these calls are unknown in advance. While no other call is
   * open, it is granted whatever is left, since it may not need them.
   */
  byCallsAlone?: true;
}

/**
 * Grants the calls of an experiment in the order of the requests, as far as limits on calls, tokens and dollars allow
 * it. Calls never exceed their limit, tokens and dollars by no more than the calls in flight. While no call is open,
 * any remaining amount admits one call, whatever its cost: so a limit is always reached, and no request waits for ever.
 */
export class Budget {
  /** Granted calls that are neither spent nor returned. */
  private open = 0;
  private isClosed = false;
  private waiting: { request: CallRequest; onGranted: (calls: number) => void }[] = [];
  private readonly isLimited: boolean;

  constructor(
    private readonly limits: Limits,
    /** Returns all that was spent until now. */
    private readonly spent: () => Spending,
  ) {
    this.isLimited = hasCallLimits(limits);
  }

  /** Requests calls. @param onGranted called with the granted number, at once or later; 0 if no more may begin. */
  request(request: CallRequest, onGranted: (calls: number) => void): void {
    const granted = this.grantNow(request);
    if (granted === null) this.waiting.push({ request, onGranted });
    else onGranted(granted);
  }

  /** Requests one call. @returns whether it may begin; a promise if it has to wait. */
  requestOne(): boolean | Promise<boolean> {
    const request = { calls: 1 };
    const granted = this.grantNow(request);
    if (granted !== null) return granted > 0;
    return new Promise((resolve) => {
      this.waiting.push({ request, onGranted: (calls) => resolve(calls > 0) });
    });
  }

  /** Subtracts spent or returned calls from the open ones. A negative number adds calls that were not granted. */
  ended(calls = 1): void {
    if (!this.isLimited) return;
    this.open -= calls;
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      const granted = this.grant(first.request);
      if (granted === null) return;
      this.waiting.shift();
      first.onGranted(granted);
    }
  }

  /** Refuses all waiting and future requests. */
  close(): void {
    this.isClosed = true;
    const { waiting } = this;
    this.waiting = [];
    for (const { onGranted } of waiting) onGranted(0);
  }

  /** Names the reached limit, in a sentence for people; null if none is reached. */
  exhausted(): string | null {
    return this.isLimited ? reachedLimit(this.limits, this.spent()) : null;
  }

  /**
   * Returns what is left for the holder of this number of granted calls: without the spent amounts and the others' open
   * calls.
   */
  leftFor(calls: number): SpendingLeft {
    const left = spendingLeft(this.limits, this.spent());
    const others = this.open - calls;
    return { ...left, lm_calls: left.lm_calls === null ? null : Math.max(left.lm_calls - others, 0) };
  }

  /** @returns null if the request has to wait. */
  private grantNow(request: CallRequest): number | null {
    if (this.isClosed) return 0;
    if (!this.isLimited) return request.calls;
    return this.waiting.length === 0 ? this.grant(request) : null;
  }

  private grant({ calls, partly, byCallsAlone }: CallRequest): number | null {
    if (calls === 0) return 0;
    const isAlone = byCallsAlone === true && this.open === 0;
    if (!byCallsAlone && this.exhausted() !== null) return 0;
    const room = isAlone ? calls : this.room(byCallsAlone === true);
    const most = partly === undefined ? room : Math.min(partly(room), room);
    const granted = Math.min(calls, most);
    if (granted <= 0 || (partly === undefined && granted < calls)) return null;
    this.open += granted;
    return granted;
  }

  /**
   * Returns the number of calls that may begin besides the open ones: tokens and dollars by the mean of the calls so
   * far.
   */
  private room(byCallsAlone: boolean): number {
    const { open } = this;
    const { max_lm_calls, max_tokens, max_cost_usd } = this.limits;
    const { lm_calls, tokens, cost_usd, unrecorded = 0 } = this.spent();
    const rooms = [Number.MAX_SAFE_INTEGER];
    if (max_lm_calls !== null) rooms.push(max_lm_calls - lm_calls - open);
    if (byCallsAlone) return Math.min(...rooms);
    // Requests that were refused say nothing about the price of those that are answered.
    const isPriceUnknown = lm_calls === unrecorded;
    const mean = (sum: number) => (isPriceUnknown && sum === 0 ? null : sum / lm_calls);
    if (max_tokens !== null) rooms.push(roomByMean(max_tokens - tokens, mean(tokens), open));
    if (max_cost_usd !== null) {
      const cost = nano(cost_usd ?? 0);
      rooms.push(roomByMean(nano(max_cost_usd) - cost, mean(cost), open));
    }
    return Math.min(...rooms);
  }
}

/** Lets one call begin at a time before any mean is known; any remaining amount admits one call while none is open. */
function roomByMean(left: number, mean: number | null, open: number): number {
  if (mean === null) return open === 0 ? 1 : 0;
  // A model that costs nothing, such as a replay.
  if (mean === 0) return Number.MAX_SAFE_INTEGER;
  return Math.max(Math.floor(left / mean) - open, open === 0 ? 1 : 0);
}
