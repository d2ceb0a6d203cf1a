import type { Allotment } from '../contracts/allotment.js';
import type { Limits, ShardClaim, Totals } from '../contracts/run.js';
import { allotmentOf, amountsOf, NOTHING } from './amounts.js';
import { advanceRun, isExhausted, newRunBudget, type RunBudget, type RunBudgetEvent } from './run-budget.js';
import { spendingOfTotals } from './totals.js';

/** What the shards of a run are allotted of its limits. */
export class Allotments {
  private constructor(private state: RunBudget) {}

  /** @param kept what was spent before any of them began. */
  static begin(limits: Limits, kept: Totals, shards: readonly number[]): Allotments {
    const before = amountsOf(spendingOfTotals(kept));
    return new Allotments(newRunBudget(allotmentOf(limits), before, shards));
  }

  /** What a shard may spend in all. */
  of(shard: number): Allotment | undefined {
    return this.state.accounts[shard]?.allotted;
  }

  /** A shard is about to begin with so many lanes. */
  open(shard: number, lanes: number): void {
    const returned = this.of(shard);
    if (returned === undefined) return;
    this.apply({ type: 'claim', shard, claim: { spent: NOTHING, returned, heard: 0, wanted: 2 * lanes } });
  }

  /** @returns the shards that are to be told. */
  hear(shard: number, claim: ShardClaim): number[] {
    return this.apply({ type: 'claim', shard, claim });
  }

  /** @returns the shards that are to be told. */
  end(shard: number, totals: Totals): number[] {
    return this.apply({ type: 'ended', shard, spent: amountsOf(spendingOfTotals(totals)) });
  }

  isExhausted(): boolean {
    return isExhausted(this.state);
  }

  private apply(event: RunBudgetEvent): number[] {
    const before = this.state.accounts;
    this.state = advanceRun(this.state, event);
    const { accounts } = this.state;
    return Object.keys(accounts)
      .map(Number)
      .filter((shard) => accounts[shard]?.allotted !== before[shard]?.allotted);
  }
}
