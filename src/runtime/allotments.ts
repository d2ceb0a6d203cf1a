import type { Allotment } from '../contracts/allotment.js';
import type { Limits, ShardClaim, Totals } from '../contracts/run.js';
import { allotmentOf, amountsOf, minus } from './amounts.js';
import { advanceRun, isExhausted, newRunBudget, type RunBudget, type RunBudgetEvent } from './run-budget.js';
import type { ShardBudget } from './shard-budget.js';
import { spendingOfTotals } from './totals.js';

/** What the shards of a run are allotted of its limits. */
export class Allotments {
  private constructor(private state: RunBudget) {}

  /** @param kept what was spent before any of them began. */
  static begin(limits: Limits, kept: Totals, shards: readonly number[]): Allotments {
    const before = amountsOf(spendingOfTotals(kept));
    return new Allotments(newRunBudget(allotmentOf(limits), before, shards));
  }

  /** @param state from the execution before, when this one continues it. */
  static resume(state: RunBudget): Allotments {
    return new Allotments(state);
  }

  get budget(): RunBudget {
    return this.state;
  }

  /** What a shard may spend in all. */
  of(shard: number): Allotment | undefined {
    return this.state.accounts[shard]?.allotted;
  }

  /** A shard is about to begin, or to go on, with so many lanes. */
  open(shard: number, lanes: number): void {
    const account = this.state.accounts[shard];
    if (account === undefined) return;
    const { spent, returned, allotted } = account;
    this.hear(shard, { spent, returned, heard: allotted.lm_calls, wanted: 2 * lanes });
  }

  /** @returns the shards that are to be told. */
  hear(shard: number, claim: ShardClaim): number[] {
    return this.apply({ type: 'claim', shard, claim });
  }

  /** @returns the shards that are to be told. */
  end(shard: number, totals: Totals): number[] {
    return this.apply({ type: 'ended', shard, spent: amountsOf(spendingOfTotals(totals)) });
  }

  /**
   * A shard has handed over its work. What it has not spent is given back, and what was on its way to it as well.
   * @returns the shards that are to be told.
   */
  rest(shard: number, totals: Totals): number[] {
    const allotted = this.of(shard);
    if (allotted === undefined) return [];
    const spent = amountsOf(spendingOfTotals(totals));
    const returned = minus(allotted, spent);
    return this.hear(shard, { spent, returned, heard: allotted.lm_calls, wanted: 0 });
  }

  /** What a shard that goes on has, as the run knows it. */
  resumed(shard: number, budget: ShardBudget): ShardBudget {
    return { ...budget, returned: this.state.accounts[shard]?.returned ?? budget.returned };
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
