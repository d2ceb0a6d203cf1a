import type { Limits, Spending } from '../contracts/run.js';
import { BudgetLedger, hasCallLimits } from './budget.js';

/**
 * Tokens and dollars are only known when a holder asks again. So many calls of the usual price are kept back for each one
 * that is leased: calls grow with the conversation that they go on with.
 */
const KEPT_BACK = 4;

/**
 * One budget of calls, leased to many holders that ask for some when theirs are used up. A holder that asks for
 * calls has used every call that it was leased.
 */
export class Leases {
  private readonly ledger: BudgetLedger<string> | null;
  private readonly wishes = new Map<string, number>();
  private readonly holders = new Set<string>();
  private readonly isByPrice: boolean;

  /** @param before what was spent before any of them began. */
  constructor(limits: Limits, before: Spending) {
    this.ledger = hasCallLimits(limits) ? new BudgetLedger(limits, before) : null;
    this.isByPrice = limits.max_tokens !== null || limits.max_cost_usd !== null;
  }

  /** A holder is about to begin. */
  begin(holder: string): void {
    this.holders.add(holder);
  }

  /**
   * A holder has spent so much in all, and waits for so many calls; for none, where that is 0. What arrives when it has
   * ended says nothing new.
   */
  ask(holder: string, spent: Spending, wanted: number): void {
    if (!this.holders.has(holder)) return;
    this.ledger?.settle(holder, spent);
    if (wanted > 0) this.wishes.set(holder, wanted);
  }

  /** A holder has come to its end; what it did not use goes to the others. */
  end(holder: string, spent: Spending): void {
    this.wishes.delete(holder);
    this.holders.delete(holder);
    this.ledger?.settle(holder, spent);
    this.ledger?.conclude(holder);
  }

  /**
   * Leases calls to those who wait, as far as there is room. Who asked first comes first.
   * @param canHear whether a holder can be told of it yet
   */
  grants(canHear: (holder: string) => boolean): Map<string, number> {
    const granted = new Map<string, number>();
    for (const [holder, wanted] of this.wishes) {
      if (!canHear(holder)) continue;
      const calls = this.ledger?.grant(holder, Math.min(wanted, this.most())) ?? wanted;
      // There is room for nobody, then.
      if (calls === 0) break;
      this.wishes.delete(holder);
      granted.set(holder, calls);
    }
    return granted;
  }

  /** Why those who wait will wait for ever; null while there is room, or may be again. */
  exhausted(): string | null {
    return this.wishes.size > 0 ? (this.ledger?.exhausted() ?? null) : null;
  }

  /** The most that one holder may be leased at once: one call after the other where tokens or dollars run short. */
  private most(): number {
    if (this.ledger === null || !this.isByPrice) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(this.ledger.room() / (KEPT_BACK * this.holders.size)));
  }
}
