import type { Spending } from '../../../contracts/experiment.js';
import { Budget } from '../../../runtime/budget.js';
import { addSpending, NOTHING_SPENT, spendingBeyond } from '../../../runtime/step-cost.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import { ApplicationFailure, isCancellation, workflowInfo } from '../../../workflows/sdk.js';
import type { LaneInProgress, RunCarried, RunPlan, RunProgress, Totals } from '../contracts.js';
import { RUN_FACTS } from '../facts.js';
import type { LaneState } from '../lane/lane-state.js';
import { accuracyOf, addTotals, noTotals, spendingOfTotals, spentOfTotals } from '../lane/totals.js';
import { artifacts } from './activities.js';
import { type LaneAccount, laneAccount } from './lane-account.js';
import type { LaneControl } from './run-session.js';

/** Samples after which it is first asked whether enough is known, and by how much they grow until the next time. */
const FIRST_LOOK = 10;
const LOOK_GROWTH = 1.1;

/** Minimum milliseconds between two updates of the Temporal UI by ended episodes. */
const SHOWN_EVERY = 1000;

/** How a bundle stands. */
interface BundleReport {
  /** Totals to show, and number of samples in progress. */
  totals: Totals;
  running: number;
  /** Its oldest lane in progress; absent: there is none. */
  oldest?: LaneInProgress | undefined;
  /** Spending of the lanes that its earlier attempts have ended, and of new requests of the newest attempt. */
  before: Spending;
  fresh: Spending;
  /** Spending of replies that the newest attempt has found, of those that were lost with earlier ones. */
  found: Spending;
}

/** Control of a run: its totals, the requests of people, and its budget. */
export class RunControl extends ExperimentControl<RunPlan, RunProgress> implements LaneControl {
  /** Totals of this execution and of those that it continues. */
  private readonly totals: Totals;
  private budget: Budget | undefined;
  private shownAt = Number.NEGATIVE_INFINITY;
  /** Lanes in progress, by their first slot: when each was begun, in milliseconds since 1970. */
  private readonly running = new Map<number, number>();
  /** Samples after which it is asked next whether enough is known. */
  private looksAt = FIRST_LOOK;
  private isLooking = false;
  private readonly bundles = new Set<() => BundleReport>();
  /** Spending of stored replies that were lost with attempts of bundles, and are not found again yet. */
  private lost: Spending;
  onChange: () => void = () => undefined;

  /** @param before state of the previous execution, if this one continues it. */
  constructor(before?: Pick<RunCarried, 'asked' | 'totals' | 'lost'>) {
    super('run', RUN_FACTS, before?.asked);
    this.totals = before?.totals ?? noTotals();
    this.lost = before?.lost ?? NOTHING_SPENT;
  }

  begin(plan: RunPlan): void {
    // Replaces a concurrency that was requested before the plan was known.
    if (plan.memory_scope === 'run') this.status.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    this.budget = new Budget(plan.limits, () => this.spent());
    this.checkLimits();
    this.showPhase();
  }

  get lanes(): number {
    return this.status.concurrency;
  }

  mustEnd(): boolean {
    return !this.status.continues();
  }

  isOver(): boolean {
    return this.status.isOver();
  }

  handsOver(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  begins(lane: LaneState): LaneAccount {
    this.running.set(lane.from, Date.now());
    return laneAccount(lane, this.totals, {
      mayCall: () => this.budget?.requestOne() ?? false,
      onCall: () => {
        this.budget?.ended();
        this.checkLimits();
      },
      onFound: (cost) => {
        this.lost = spendingBeyond(this.lost, cost);
      },
      onPaid: () => this.checkLimits(),
      onEpisode: () => this.showSeldom(),
      leave: () => {
        this.running.delete(lane.from);
      },
    });
  }

  /**
   * Notes a bundle of lanes, which counts for itself.
   * @returns the function that ends it, with its last totals
   */
  hasBundle(report: () => BundleReport): (totals: Totals) => void {
    this.bundles.add(report);
    return (totals) => {
      this.lost = spendingBeyond(this.lost, report().found);
      this.bundles.delete(report);
      Object.assign(this.totals, addTotals([this.totals, totals]));
      this.changed();
    };
  }

  /** Notes that an attempt of a bundle was lost. @param found among its spending @param stored of its open lanes */
  hasLost(found: Spending, stored: Spending): void {
    this.lost = addSpending(spendingBeyond(this.lost, found), stored);
  }

  /** Notes that a bundle has reported. */
  changed(): void {
    this.checkLimits();
    this.showSeldom();
  }

  override setConcurrency(lanes: number): number {
    const before = super.setConcurrency(lanes);
    this.onChange();
    return before;
  }

  override assertConcurrency(lanes: number): void {
    super.assertConcurrency(lanes);
    if (this.plan?.memory_scope === 'run') {
      throw ApplicationFailure.nonRetryable(
        'runtime.memory_scope is run: its samples share one memory and go one by one',
      );
    }
  }

  close(): void {
    this.budget?.close();
  }

  /** Returns the state for the next execution. */
  handOver(): Pick<RunCarried, 'asked' | 'totals' | 'lost'> {
    const { lost, totals } = this;
    return { asked: this.status.asked(), totals, ...(lost.lm_calls === 0 ? {} : { lost }) };
  }

  protected override modelsOf({ model }: RunPlan) {
    return { model };
  }

  protected override counted() {
    const { plan } = this;
    const totals = this.sum();
    const { samples, correct, errors, errors_by_type = {}, episodes } = totals;
    return {
      kind: 'run' as const,
      units: {
        noun: 'sample',
        planned: plan?.samples_planned ?? 0,
        ended: samples,
        running: this.bundleReports.reduce((sum, { running }) => sum + running, this.running.size),
      },
      errors,
      errors_by_type,
      spending: spentOfTotals(totals),
      correct,
      episodes,
      accuracy: accuracyOf(totals),
      ...(plan === undefined ? {} : { accuracy_of: plan.accuracy_of, means: plan.means }),
    };
  }

  /** Returns what was spent, but for new requests of bundles in progress. */
  settled(): Spending {
    const reports = this.bundleReports;
    const found = reports.reduce((sum, report) => addSpending(sum, report.found), NOTHING_SPENT);
    const ended = spendingOfTotals(addTotals([this.plan?.kept ?? noTotals(), this.totals]));
    const before = reports.reduce((sum, report) => addSpending(sum, report.before), ended);
    return addSpending(before, addSpending(found, spendingBeyond(this.lost, found)));
  }

  /** Returns what was spent, as limits count it: lost replies count before they are found again. */
  private spent(): Spending {
    return this.bundleReports.reduce((sum, { fresh }) => addSpending(sum, fresh), this.settled());
  }

  private get bundleReports(): BundleReport[] {
    return [...this.bundles].map((report) => report());
  }

  protected override *inProgress(): Iterable<[string, number]> {
    const ofBundles = this.bundleReports.flatMap(({ oldest }) => (oldest === undefined ? [] : [oldest]));
    if (this.plan?.memory_scope === 'run') return;
    for (const [slot, since] of [...this.running, ...ofBundles]) yield [`sample ${slot + 1}`, since];
  }

  /** Adds the totals of earlier executions of the experiment. */
  private sum(): Totals {
    const bundles = this.bundleReports.map(({ totals }) => totals);
    return addTotals([this.plan?.kept ?? noTotals(), this.totals, ...bundles]);
  }

  private checkLimits(): void {
    if (this.status.isExhausted()) return;
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }

  /** Asks whether enough is known: an interval that may be looked at at any time needs no look after each sample. */
  private look(): void {
    const { plan } = this;
    if (plan?.decides === undefined || this.isLooking || this.mustEnd()) return;
    const { samples } = this.sum();
    if (samples < this.looksAt) return;
    this.looksAt = Math.ceil(LOOK_GROWTH * samples);
    this.isLooking = true;
    const looked = artifacts.decide({ run: plan.run, execution: plan.execution });
    void looked
      .then(
        (why) => why !== null && this.decide(why),
        (error: unknown) => isCancellation(error) || this.fault(error),
      )
      .finally(() => {
        this.isLooking = false;
      });
  }

  private showSeldom(): void {
    this.look();
    if (Date.now() - this.shownAt >= SHOWN_EVERY) this.show();
  }

  protected override show(): void {
    this.shownAt = Date.now();
    super.show();
  }

  protected override passOn(): void {
    if (this.isOver()) this.close();
    this.onChange();
  }
}
