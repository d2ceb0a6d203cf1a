import type { Limits, Totals } from '../contracts/run.js';
import { BudgetLedger } from './budget.js';
import { spendingOfTotals } from './totals.js';

/**
 * How the shards of a run were granted calls before they were allotted what they may spend: each grant a message that
 * adds to those before it. Kept for runs that began so.
 */
export class Wishes {
  private readonly ledger: BudgetLedger;
  private readonly wishes = new Map<number, number>();

  /** @param kept what was spent before any of them began. */
  constructor(limits: Limits, kept: Totals) {
    this.ledger = new BudgetLedger(limits, spendingOfTotals(kept));
  }

  hear(shard: number, totals: Totals, wants?: number): void {
    this.ledger.settle(shard, spendingOfTotals(totals));
    if (wants !== undefined) this.wishes.set(shard, wants);
  }

  /** A shard has ended, with these totals where it could say them. */
  end(shard: number, totals?: Totals): void {
    this.wishes.delete(shard);
    if (totals !== undefined) this.ledger.settle(shard, spendingOfTotals(totals));
    this.ledger.release(shard);
  }

  /** Calls for those who wait, as far as there is room. */
  grants(): Map<number, number> {
    const granted = new Map<number, number>();
    for (const [shard, wanted] of this.wishes) {
      const calls = this.ledger.grant(shard, wanted);
      if (calls === 0) continue;
      this.wishes.delete(shard);
      granted.set(shard, calls);
    }
    return granted;
  }

  /** Why those who wait will wait for ever; null while there is room, or may be again. */
  exhausted(): string | null {
    return this.wishes.size > 0 ? this.ledger.exhausted() : null;
  }
}
