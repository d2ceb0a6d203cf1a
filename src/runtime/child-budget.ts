import type { BudgetStanding, Limits, Spending } from '../contracts/experiment.js';
import { Budget } from './budget.js';
import { addSpending } from './step-cost.js';

/**
 * So many calls of the usual price are kept back for each one that is granted where tokens or dollars have a limit: they
 * are only known when a child reports again, and calls grow with the conversation that they continue.
 */
const KEPT_BACK = 4;

const NOTHING: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };

/** Begins calls that an experiment has granted to one of its children: the child's side of {@link ChildBudgets}. */
export class ChildBudget {
  private granted: number;
  private begun: number;
  private returned: number;

  /** @param before where the execution before stood, when this one continues it. */
  constructor(before = { granted: 0, begun: 0, returned: 0 }) {
    ({ granted: this.granted, begun: this.begun, returned: this.returned } = before);
  }

  /** Counts the calls that may begin without a further request. */
  available(): number {
    return Math.max(this.granted - this.begun - this.returned, 0);
  }

  /** Takes note of calls that begin; of a crash that sent some more than once; of one that was not sent, as -1. */
  begin(calls = 1): void {
    this.begun += calls;
  }

  /** Hears how many calls were granted in all: what is older than what is known changes nothing. */
  onGranted(granted: number): void {
    this.granted = Math.max(this.granted, granted);
  }

  /** Returns what is not begun: nothing is going to be for a while. */
  return(): void {
    this.returned += this.available();
  }

  /** Reports how it stands. @param requested calls beyond those that it has. */
  standing(spent: Spending, requested: number): BudgetStanding {
    return { spent, granted: this.granted, returned: this.returned, requested };
  }

  state(): { granted: number; begun: number; returned: number } {
    const { granted, begun, returned } = this;
    return { granted, begun, returned };
  }
}

interface Child {
  spent: Spending;
  granted: number;
  returned: number;
  requested: number;
  /** Whether its request waits in the budget. */
  waits: boolean;
}

/**
 * Grants calls of one budget to children that hear of them by messages. Both sides say how they stand in all since the
 * child began: so a message may come late, twice, or only when the child reports again.
 */
export class ChildBudgets {
  private readonly children = new Map<string, Child>();
  private readonly budget: Budget;
  private readonly isByPrice: boolean;

  /**
   * @param settled answers with what those that have ended have spent.
   * @param onGranted hears how many calls a child was granted in all.
   * @param onRefused hears that no further call may begin.
   */
  constructor(
    limits: Limits,
    private readonly settled: () => Spending,
    private readonly on: { granted(child: string, calls: number): void; refused(): void },
  ) {
    this.budget = new Budget(limits, () => this.spent());
    this.isByPrice = limits.max_tokens !== null || limits.max_cost_usd !== null;
  }

  /** A child is about to begin. */
  begin(child: string): void {
    this.children.set(child, { spent: NOTHING, granted: 0, returned: 0, requested: 0, waits: false });
  }

  /** Hears how a child stands. What arrives when it has ended says nothing new. */
  onReport(name: string, { spent, granted, returned, requested }: BudgetStanding): void {
    const child = this.children.get(name);
    if (child === undefined) return;
    const before = openOf(child);
    if (spent.lm_calls >= child.spent.lm_calls) child.spent = spent;
    // An experiment that was reset has forgotten what it granted, and a crash sends requests that nobody granted.
    child.granted = Math.max(child.granted, granted, child.spent.lm_calls + child.returned);
    child.returned = Math.max(child.returned, returned);
    child.requested = Math.max(granted + requested - child.granted, 0);
    this.budget.ended(before - openOf(child));
    if (child.granted > granted) this.on.granted(name, child.granted);
    if (child.requested > 0 && !child.waits) this.request(name, child);
  }

  /** A child has ended: what it did not use goes to the others. Its spending counts among the settled from now on. */
  end(name: string): void {
    const child = this.children.get(name);
    if (child === undefined) return;
    this.children.delete(name);
    child.requested = 0;
    this.budget.ended(openOf(child));
  }

  /** Names the limit that is used up, in a sentence for people. */
  exhausted(): string | null {
    return this.budget.exhausted();
  }

  close(): void {
    this.budget.close();
  }

  private spent(): Spending {
    return [...this.children.values()].reduce((sum, { spent }) => addSpending(sum, spent), this.settled());
  }

  private request(name: string, child: Child): void {
    child.waits = true;
    const share = (room: number) => Math.max(1, Math.floor(room / (KEPT_BACK * this.children.size)));
    const request = {
      // Where it needs none any more by the time, it is granted none.
      get calls() {
        return child.requested;
      },
      partly: this.isByPrice ? share : (room: number) => room,
    };
    this.budget.request(request, (calls) => this.granted(name, child, calls));
  }

  private granted(name: string, child: Child, calls: number): void {
    child.waits = false;
    if (calls === 0) {
      if (child.requested > 0) this.on.refused();
      return;
    }
    child.granted += calls;
    child.requested = 0;
    this.on.granted(name, child.granted);
  }
}

function openOf({ granted, returned, spent }: Child): number {
  return Math.max(granted - returned - spent.lm_calls, 0);
}
