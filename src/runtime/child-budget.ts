import type { BudgetReport, Limits, Spending } from '../contracts/experiment.js';
import { Budget } from './budget.js';
import { addSpending, NOTHING_SPENT } from './step-cost.js';

/**
 * Calls of average price that are reserved for each granted one if tokens or dollars are limited: their cost is known
 * only when a child reports again, and grows with the conversation.
 */
const KEPT_BACK = 4;

/** Begins calls that an experiment has granted to one of its children: the child's side of {@link ChildBudgets}. */
export class ChildBudget {
  private granted: number;
  private begun: number;
  private returned: number;

  /** @param before state of the execution before, if this one continues it. */
  constructor(before = { granted: 0, begun: 0, returned: 0 }) {
    ({ granted: this.granted, begun: this.begun, returned: this.returned } = before);
  }

  /** Returns the number of calls that may begin without a further request. */
  available(): number {
    return Math.max(this.granted - this.begun - this.returned, 0);
  }

  /** Counts a call that begins. */
  begin(): void {
    this.begun += 1;
  }

  /**
   * Counts a call that has ended.
   * @param requests booked for it: none if it was not sent or booked before, several if a crash repeated it
   */
  ended(requests: number): void {
    this.begun += requests - 1;
  }

  /**
   * Counts a call that has ended without a reply. What it has cost may be far above the mean by which others were
   * granted: they are returned, to be granted by what is left.
   */
  failed(requests: number): void {
    this.ended(requests);
    this.return();
  }

  /** Receives the total number of granted calls; an outdated message changes nothing. */
  onGranted(granted: number): void {
    this.granted = Math.max(this.granted, granted);
  }

  /** Returns all calls that have not begun, since none will for a while. */
  return(): void {
    this.returned += this.available();
  }

  /** Reports its state. @param requested calls beyond the available ones. */
  report(spent: Spending, requested: number): BudgetReport {
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
  /** True if its request waits in the budget. */
  waits: boolean;
}

/**
 * Grants calls of one budget to children by messages. Both sides send totals since the child began, so a message may
 * arrive late, twice, or only when the child reports again.
 */
export class ChildBudgets {
  private readonly children = new Map<string, Child>();
  private readonly budget: Budget;
  private readonly isByPrice: boolean;

  /**
   * @param settled returns the spending of children that have ended.
   * @param on called with the total of calls granted to a child, and if no further call may begin.
   */
  constructor(
    limits: Limits,
    private readonly settled: () => Spending,
    private readonly on: { granted(child: string, calls: number): void; refused(): void },
  ) {
    this.budget = new Budget(limits, () => this.spent());
    this.isByPrice = limits.max_tokens !== null || limits.max_cost_usd !== null;
  }

  /** Notes that a child is about to begin. */
  begin(child: string): void {
    this.children.set(child, {
      spent: NOTHING_SPENT,
      granted: 0,
      returned: 0,
      requested: 0,
      waits: false,
    });
  }

  /** Receives a child's report; ignored after the child has ended. */
  onReport(name: string, { spent, granted, returned, requested }: BudgetReport): void {
    const child = this.children.get(name);
    if (child === undefined) return;
    const before = openOf(child);
    if (spent.lm_calls >= child.spent.lm_calls) child.spent = spent;
    // An experiment that was reset has lost its grants, and a crash sends requests without a grant.
    child.granted = Math.max(child.granted, granted, child.spent.lm_calls + child.returned);
    child.returned = Math.max(child.returned, returned);
    child.requested = Math.max(granted + requested - child.granted, 0);
    this.budget.ended(before - openOf(child));
    if (child.granted > granted) this.on.granted(name, child.granted);
    if (child.requested > 0 && !child.waits) this.request(name, child);
  }

  /**
   * Notes that a child has ended: its unused calls are available to others. From now on its spending counts among the
   * settled.
   */
  end(name: string): void {
    const child = this.children.get(name);
    if (child === undefined) return;
    this.children.delete(name);
    child.requested = 0;
    this.budget.ended(openOf(child));
  }

  /** Names the reached limit, in a sentence for people; null if none is reached. */
  exhausted(): string | null {
    return this.budget.exhausted();
  }

  close(): void {
    this.budget.close();
  }

  /** Reports whether a child waits for calls. */
  isShort(): boolean {
    return [...this.children.values()].some(({ waits }) => waits);
  }

  private spent(): Spending {
    return [...this.children.values()].reduce((sum, { spent }) => addSpending(sum, spent), this.settled());
  }

  private request(name: string, child: Child): void {
    child.waits = true;
    const share = (room: number) => Math.max(1, Math.floor(room / (KEPT_BACK * this.children.size)));
    const request = {
      // Read at the time of the grant: the child may need none any more.
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
