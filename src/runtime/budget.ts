import type { Limits, Spending, SpendingLeft } from '../contracts/run.js';
import { dollarsText } from '../statistics/figure-text.js';
import { addCosts } from './add-costs.js';

/** Whether a run has limits that single calls count against. */
export function hasCallLimits(limits: Limits): boolean {
  return limits.max_lm_calls !== null || limits.max_tokens !== null || limits.max_cost_usd !== null;
}

/** The limit that is used up, as a sentence for people; null while there is room. */
export function reachedLimit(limits: Limits, spent: Spending): string | null {
  if (limits.max_lm_calls !== null && spent.lm_calls >= limits.max_lm_calls) {
    const made = `limits.max_lm_calls: ${spent.lm_calls} of ${limits.max_lm_calls} calls are made`;
    return spent.unkept === undefined
      ? made
      : `${made}, ${spent.unkept} of them for a reply that is not kept`;
  }
  if (limits.max_tokens !== null && spent.tokens >= limits.max_tokens) {
    return `limits.max_tokens: ${spent.tokens} of ${limits.max_tokens} tokens are used`;
  }
  if (limits.max_cost_usd !== null && (spent.cost_usd ?? 0) >= limits.max_cost_usd) {
    return `limits.max_cost_usd: ${dollarsText(spent.cost_usd ?? 0)} of ${dollarsText(limits.max_cost_usd)} are spent`;
  }
  return null;
}

/** What may still be spent. A cost that is not known counts as none, as in {@link reachedLimit}. */
export function spendingLeft(limits: Limits, spent: Spending): SpendingLeft {
  const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(limit - used, 0));
  return {
    lm_calls: left(limits.max_lm_calls, spent.lm_calls),
    tokens: left(limits.max_tokens, spent.tokens),
    cost_usd: left(limits.max_cost_usd, spent.cost_usd ?? 0),
  };
}

/**
 * A budget, leased call by call, as a run's is to its shards. A call is reserved before it starts and settled after it,
 * so calls never exceed their limit, and tokens and dollars by no more than the calls in flight.
 */
export class BudgetLedger<Holder = number> {
  private readonly granted = new Map<Holder, number>();
  private readonly used = new Map<Holder, Spending>();

  constructor(
    private readonly limits: Limits,
    private before: Spending,
  ) {}

  /** Takes note of what a holder has spent in all. What is older than what is known already changes nothing. */
  settle(holder: Holder, spending: Spending): void {
    if (spending.lm_calls < (this.used.get(holder)?.lm_calls ?? 0)) return;
    this.used.set(holder, spending);
    // A crash makes a holder send more requests than it had leave for.
    const granted = this.granted.get(holder);
    if (granted !== undefined) this.granted.set(holder, Math.max(granted, spending.lm_calls));
  }

  /** A holder that has ended needs its lease no more. */
  release(holder: Holder): void {
    this.granted.set(holder, this.used.get(holder)?.lm_calls ?? 0);
  }

  /** Forgets a holder that has ended and is not heard of again, but not what it has spent. */
  conclude(holder: Holder): void {
    const spent = this.used.get(holder);
    if (spent !== undefined) this.before = sumOf([this.before, spent]);
    this.used.delete(holder);
    this.granted.delete(holder);
  }

  spent(): Spending {
    return sumOf([this.before, ...this.used.values()]);
  }

  /** Calls that are leased but not settled. */
  outstanding(): number {
    let open = 0;
    for (const [holder, calls] of this.granted) open += calls - (this.used.get(holder)?.lm_calls ?? 0);
    return open;
  }

  /** Leases up to `wanted` calls. 0 means: none now. */
  grant(holder: Holder, wanted: number): number {
    const spent = this.spent();
    if (reachedLimit(this.limits, spent) !== null) return 0;
    const calls = Math.max(0, Math.min(wanted, this.room(spent)));
    if (calls > 0) this.granted.set(holder, (this.granted.get(holder) ?? 0) + calls);
    return calls;
  }

  /** Calls that could be leased now, by what the calls so far have cost. */
  room(spent = this.spent()): number {
    return roomForCalls(this.limits, spent, this.outstanding());
  }

  /** Why nothing is leased any more, once nothing is outstanding that could still give room back. */
  exhausted(): string | null {
    const spent = this.spent();
    const reached = reachedLimit(this.limits, spent);
    if (reached !== null) return reached;
    if (this.outstanding() > 0) return null;
    return this.room(spent) > 0 ? null : 'limits: no room for another call';
  }
}

/**
 * How many calls may begin beside those that are open: tokens and dollars by the mean of the calls so far. The first
 * call is always let through, because its price is not known.
 */
export function roomForCalls(limits: Limits, spent: Spending, open: number): number {
  const rooms: number[] = [];
  if (limits.max_lm_calls !== null) rooms.push(limits.max_lm_calls - spent.lm_calls - open);
  const mean = (sum: number | null) => (spent.lm_calls === 0 || sum === null ? null : sum / spent.lm_calls);
  if (limits.max_tokens !== null) {
    rooms.push(roomByMean(limits.max_tokens - spent.tokens, mean(spent.tokens), open));
  }
  if (limits.max_cost_usd !== null) {
    const left = limits.max_cost_usd - (spent.cost_usd ?? 0);
    rooms.push(roomByMean(left, mean(spent.cost_usd), open));
  }
  return rooms.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...rooms);
}

function sumOf(parts: readonly Spending[]): Spending {
  const total: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };
  for (const part of parts) {
    total.lm_calls += part.lm_calls;
    total.tokens += part.tokens;
    total.cost_usd = addCosts(total.cost_usd, part.cost_usd);
    if (part.unkept !== undefined) total.unkept = (total.unkept ?? 0) + part.unkept;
  }
  return total;
}

/** Before any mean is known one call at a time is leased; what is left always admits one call while none is open. */
function roomByMean(left: number, mean: number | null, open: number): number {
  if (mean === null) return open === 0 ? 1 : 0;
  // A model that costs nothing, such as a replay.
  if (mean === 0) return Number.MAX_SAFE_INTEGER;
  return Math.max(Math.floor(left / mean) - open, open === 0 ? 1 : 0);
}
