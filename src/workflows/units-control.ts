import type { ReceivedRequests } from '../contracts/experiment.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { StepCost } from '../contracts/step-cost.js';
import type { KindFacts } from '../facts/kind-facts.js';
import { Budget, hasCallLimits } from '../runtime/budget.js';
import { addStep, spendingOf } from '../runtime/step-cost.js';
import { ExperimentControl, type Planned } from './experiment-control.js';
import { condition } from './sdk.js';
import { type Grant, UnitAccounts, type UnitTotals } from './unit-accounts.js';
import type { BundlesInProgress } from './unit-bundles.js';

/** Plan of an experiment whose units request models one call after another. */
export interface UnitsPlan extends Planned {
  /** Cost of earlier executions, and number of their stored replies, which may be found again. */
  spent: StepCost;
  stored: number;
  /** Workers run bundles of units. Absent: each call is a step of the workflow. */
  grain?: 'unit';
  /** Sentences for people on how it is run. */
  means?: readonly string[];
}

/** State that the control of such an experiment passes to the execution that continues it. */
export interface UnitsHandedOver<Totals> {
  asked: ReceivedRequests;
  totals: Totals;
  /** Replies that were paid for before and not found yet. */
  stored: number;
}

/** Controls an experiment whose units run concurrently: within its workflow, each call an activity, or in bundles. */
export abstract class UnitsControl<
  Plan extends UnitsPlan,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
  Totals extends UnitTotals,
> extends ExperimentControl<Plan, Progress> {
  readonly accounts: UnitAccounts<Totals>;
  /** Bundles that workers run; absent: none are run. */
  bundles: BundlesInProgress<Totals> | undefined;
  private budget: Budget | undefined;
  /** Replies that earlier executions paid for and that were not found yet, as far as this execution knows. */
  private stored: number;

  /** @param before state of the previous execution, if this one continues it. @param none totals of nothing */
  constructor(what: string, facts: KindFacts, before: UnitsHandedOver<Totals> | undefined, none: Totals) {
    super(what, facts, before?.asked);
    this.stored = before?.stored ?? 0;
    this.accounts = new UnitAccounts(before?.totals ?? none, {
      isLimited: () => this.plan !== undefined && hasCallLimits(this.plan.limits),
      mayAsk: () => this.mayAsk(),
      ended: (grant, cost) => {
        this.found(cost.counted?.lm_calls ?? 0);
        if (grant === 'new') this.budget?.ended();
        this.show();
      },
      storedAreMissing: () => this.storedAreMissing(),
      leaves: () => this.leaves(),
      fail: (why) => this.fail(why),
      changed: () => this.show(),
    });
  }

  /** Totals of all units, of those in bundles as far as these have reported. */
  get totals(): Totals {
    return this.bundles?.addedTo(this.accounts.totals) ?? this.accounts.totals;
  }

  protected override *inProgress(): Iterable<[string, number]> {
    const { noun } = this.counted().units;
    for (const [number, since] of [...this.accounts.running, ...(this.bundles?.oldest() ?? [])])
      yield [`${noun} ${number + 1}`, since];
  }

  protected get running(): number {
    return this.accounts.running.size + (this.bundles?.running ?? 0);
  }

  /** @param isFirst true if no execution before has worked on it. */
  protected beginUnits(plan: Plan, isFirst: boolean, about: { kind: string; model: string }): void {
    if (isFirst) {
      this.accounts.totals = addStep(this.accounts.totals, plan.spent);
      this.stored = plan.stored;
    }
    this.planned(plan, about);
    this.budget = new Budget(plan.limits, () => spendingOf(this.totals));
    this.showPhase();
  }

  handOver(): UnitsHandedOver<Totals> {
    return { asked: this.status.asked(), totals: this.accounts.totals, stored: this.stored };
  }

  /** Number of stored replies that may still be found. */
  get storedLeft(): number {
    return this.stored;
  }

  /** Notes that so many replies of earlier executions were found. */
  found(replies: number): void {
    this.stored = Math.max(this.stored - replies, 0);
  }

  /** Notes that stored replies that were looked for are missing: none are expected any more. */
  storedAreMissing(): void {
    this.stored = 0;
    this.checkLimits();
  }

  /** Adds what a bundle has come to. */
  settle(add: (totals: Totals) => Totals): void {
    this.accounts.totals = add(this.accounts.totals);
    this.changed();
  }

  /** Notes that a unit that was begun stays open. */
  leaves(): void {
    this.unfinished = true;
  }

  /** Checks limits when a call is to begin: work that ends exactly at a limit has ended well. */
  checkLimits(): void {
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }

  /** Number of units at once. */
  get concurrency(): number {
    return this.status.concurrency;
  }

  changed(): void {
    this.show();
  }

  override setConcurrency(concurrency: number): number {
    const before = super.setConcurrency(concurrency);
    this.passOn();
    return before;
  }

  protected override passOn(): void {
    if (!this.continues()) this.budget?.close();
    this.bundles?.passOn();
  }

  /**
   * Waits until another call may begin. If a limit is reached, paid replies may still be found.
   * @returns false if no further call may begin at all.
   */
  private async mayAsk(): Promise<Grant | false> {
    if (this.isPaused()) await condition(() => !this.isPaused() || !this.continues());
    if (!this.continues()) return false;
    if (await this.budget?.requestOne()) return 'new';
    if (this.stored > 0 && this.continues()) return 'stored';
    this.checkLimits();
    return false;
  }
}
