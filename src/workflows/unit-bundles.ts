import type { BudgetReport, ChildExecution } from '../contracts/experiment.js';
import {
  isBudgetReport,
  isChild,
  isCount,
  isGrant,
  isText,
  isTruth,
  listOf,
  orAbsent,
  shaped,
  stepCost,
} from '../contracts/incoming.js';
import { SIGNALS } from '../contracts/names.js';
import type { EpisodeError } from '../contracts/results.js';
import { UNITS_STOPPING } from '../contracts/run-units.js';
import type { StepCost } from '../contracts/step-cost.js';
import { hasCallLimits } from '../runtime/budget.js';
import { ChildBudget, ChildBudgets } from '../runtime/child-budget.js';
import { newlyPaid, spendingOf } from '../runtime/step-cost.js';
import { sumOf } from '../statistics/sums.js';
import { beginAll } from './begin-each.js';
import { Children, isGone, ownExecution } from './children.js';
import { describeError, faultText, isWorkerCrash } from './failures.js';
import { HostedUnits } from './hosted-units.js';
import { grantSignal } from './messages.js';
import { receive } from './receive.js';
import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from './sdk.js';
import { refusal } from './started-rightly.js';
import { type Grant, type UnitAccount, UnitAccounts, type UnitTotals } from './unit-accounts.js';
import type { UnitsControl, UnitsPlan } from './units-control.js';

/** Units of a kind of experiment, each a function over activities that runs in a workflow or in a worker's process. */
export interface Units<Plan, Unit, Totals> {
  /** Type of the workflow that works on a bundle of them. */
  type: string;
  /** Name of one of them. */
  noun: string;
  /** Lists those that are due, always in the same order. */
  due(plan: Plan): Unit[];
  /** Totals of none, and the sum of two. */
  none(): Totals;
  add(left: Totals, right: Totals): Totals;
  work(plan: Plan, unit: Unit, account: UnitAccount<Totals>): Promise<void>;
  /** Stores why a unit was given up, for the artifacts. */
  recordError(plan: Plan, unit: Unit, error: EpisodeError): Promise<unknown>;
}

/** Maximum number of bundles at once; and of units at once up to which one is enough. */
const MAX_BUNDLES = 8;
const UNITS_AT_ONCE = 32;
/** Number of units of a bundle, except the last ones of an experiment: so many workers can share them. */
const MOST_UNITS = 1000;
/** Milliseconds between two reports while calls are waited for, and while they are not. */
const REQUESTED_EVERY = 200;
const REPORTED_EVERY = 10_000;
/** Milliseconds between two looks whether a report is due. */
const LOOKED_EVERY = 1000;

/** How a bundle is to go on. */
export interface BundleOrders {
  paused: boolean;
  /** No further call may be made. */
  over: boolean;
  /** No further request is granted, but replies that are stored may be found. */
  refused: boolean;
  /** No further unit is begun; what is left is handed back. */
  handsOver: boolean;
  /** Number of units at once. */
  share: number;
}

export interface BundleInput<Plan> {
  plan: Plan;
  /** Numbers of its units in the list of those that are due. */
  units: number[];
  orders: BundleOrders;
  /** Stored replies of earlier executions that may be found. */
  stored: number;
}

export interface BundleResult<Totals> {
  totals: Totals;
  /** Numbers of the units that have not ended. */
  left: number[];
  /** Replies of earlier executions that were found. */
  found: number;
  fatal: string | null;
}

/** Number of a unit in progress, and when it was begun, in milliseconds since 1970. */
type InProgress = [number: number, since: number];

interface BundleReport<Totals> {
  from: ChildExecution;
  bundle: string;
  totals: Totals;
  running: number;
  /** The unit that has been in progress for longest; absent: there is none. */
  oldest?: InProgress;
  /** True once its last unit is begun: there is room for another bundle. */
  isBegun: boolean;
  /** Absent: limits count no calls. */
  budget?: BudgetReport;
}

const isBundleReport = shaped<BundleReport<UnitTotals>>({
  from: isChild,
  bundle: isText,
  totals: shaped<StepCost>(stepCost),
  running: isCount,
  oldest: orAbsent(listOf(isCount)),
  isBegun: isTruth,
  budget: orAbsent(isBudgetReport),
});
const isBundleOrders = shaped<BundleOrders>({
  paused: isTruth,
  over: isTruth,
  refused: isTruth,
  handsOver: isTruth,
  share: isCount,
});

const reportSignal = defineSignal<[BundleReport<UnitTotals>]>(SIGNALS.report);
const ordersSignal = defineSignal<[BundleOrders]>(SIGNALS.control);
const stoppingSignal = defineSignal<[]>(UNITS_STOPPING);

/** Bundles of an experiment's units that workers work on. */
export interface BundlesInProgress<Totals> {
  readonly running: number;
  /** Units that have been in progress for longest, one of each bundle, and when they were begun. */
  oldest(): InProgress[];
  /** Adds their totals, as far as they have reported. */
  addedTo(totals: Totals): Totals;
  passOn(): void;
}

interface Bundle<Totals> {
  workflowId: string;
  totals: Totals;
  running: number;
  oldest?: InProgress | undefined;
  isBegun: boolean;
}

type Control<Plan extends UnitsPlan, Totals extends UnitTotals> = Pick<
  UnitsControl<Plan, never, Totals>,
  | 'bundles'
  | 'totals'
  | 'accounts'
  | 'storedLeft'
  | 'concurrency'
  | 'continues'
  | 'isPaused'
  | 'checkLimits'
  | 'changed'
  | 'fail'
  | 'fault'
  | 'found'
  | 'leaves'
  | 'settle'
  | 'storedAreMissing'
  | 'hasRoom'
  | 'allBegun'
>;

/** Deals the units of an experiment to bundles, each an activity that works on them in a worker's process. */
class Dealer<Plan extends UnitsPlan, Unit, Totals extends UnitTotals> implements BundlesInProgress<Totals> {
  private readonly hosted = new HostedUnits();
  private readonly children = new Children();
  private readonly open = new Map<string, Bundle<Totals>>();
  private readonly budgets: ChildBudgets | null;
  private number = 0;
  private isRefused = false;
  /** Units of bundles that several workers were lost with: which call crashes its worker is found call by call. */
  readonly suspects: number[] = [];

  /** @param left numbers of the units that are due */
  constructor(
    private readonly units: Units<Plan, Unit, Totals>,
    private readonly plan: Plan & { run: string },
    private readonly control: Control<Plan, Totals>,
    public left: number[],
  ) {
    const granted = (workflowId: string, calls: number) =>
      this.hosted.signal({ workflowId }, grantSignal, calls);
    this.budgets = hasCallLimits(plan.limits)
      ? new ChildBudgets(plan.limits, () => spendingOf(control.accounts.totals), {
          granted,
          refused: () => this.refuse(),
        })
      : null;
    receive(reportSignal, isBundleReport, (report) => this.receive(report as BundleReport<Totals>), control);
    control.bundles = this;
  }

  /** Works until no unit is left, or none may be begun here. */
  async run(): Promise<void> {
    const going = new Set<Promise<void>>();
    const isDone = () => this.left.length === 0 && going.size === 0;
    const mayBegin = () => this.left.length > 0 && this.hasRoom();
    try {
      for (;;) {
        await condition(() => this.isOver() || isDone() || mayBegin());
        if (this.isOver() || isDone()) break;
        const working: Promise<void> = this.runBundle(this.take()).finally(() => going.delete(working));
        going.add(working);
      }
      this.passOn();
    } finally {
      // Also if the wait was cancelled.
      await Promise.all(going);
    }
  }

  get running(): number {
    return sumOf([...this.open.values()].map(({ running }) => running));
  }

  oldest(): InProgress[] {
    return [...this.open.values()].flatMap(({ oldest }) => (oldest === undefined ? [] : [oldest]));
  }

  addedTo(totals: Totals): Totals {
    return [...this.open.values()].reduce((sum, bundle) => this.units.add(sum, bundle.totals), totals);
  }

  passOn(): void {
    for (const bundle of this.open.values()) this.hosted.signal(bundle, ordersSignal, this.orders(bundle));
    if (!this.control.continues()) this.budgets?.close();
  }

  /** Reports whether no further bundle may be begun by this execution. */
  private isOver(): boolean {
    return !this.control.continues() || this.handsOver();
  }

  private handsOver(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  /** Bundles that may still begin units. */
  private get beginning(): Bundle<Totals>[] {
    return [...this.open.values()].filter(({ isBegun }) => !isBegun);
  }

  private get seats(): number {
    return Math.min(MAX_BUNDLES, Math.ceil(this.control.concurrency / UNITS_AT_ONCE));
  }

  private hasRoom(): boolean {
    return !this.control.isPaused() && this.beginning.length < this.seats;
  }

  /** Takes the units of another bundle: fewer and fewer at the end, so that all workers end at about the same time. */
  private take(): number[] {
    const { left, seats } = this;
    const share = Math.ceil(this.control.concurrency / seats);
    const part = Math.ceil(left.length / (4 * seats));
    return left.splice(0, Math.max(Math.min(part, MOST_UNITS), 2 * share));
  }

  private orders(bundle: Bundle<Totals>): BundleOrders {
    const { control } = this;
    return {
      paused: control.isPaused(),
      over: !control.continues(),
      refused: this.isRefused,
      handsOver: this.handsOver(),
      share: this.shareOf(bundle),
    };
  }

  /** Returns the number of units at once of a bundle: those that begin units share what the others leave. */
  private shareOf(bundle: Bundle<Totals>): number {
    const { beginning } = this;
    const seat = beginning.indexOf(bundle);
    if (seat < 0) return bundle.running;
    const others = sumOf([...this.open.values()].filter(({ isBegun }) => isBegun).map((one) => one.running));
    const shared = Math.max(this.control.concurrency - others, 0);
    // A place is kept for those that are still to begin.
    const seats = this.left.length > 0 ? Math.max(this.seats, beginning.length) : beginning.length;
    return Math.floor(shared / seats) + Number(seat < shared % seats);
  }

  private async runBundle(units: number[]): Promise<void> {
    const { plan, control } = this;
    const { workflowId: experiment, runId } = workflowInfo();
    this.number += 1;
    const workflowId = `${experiment}/${this.units.type}-${runId.slice(-8)}-${this.number}`;
    const bundle: Bundle<Totals> = { workflowId, totals: this.units.none(), running: 0, isBegun: false };
    this.open.set(workflowId, bundle);
    this.children.begins(workflowId);
    this.budgets?.begin(workflowId);
    const orders = this.orders(bundle);
    const input: BundleInput<Plan> = { plan, units, orders, stored: control.storedLeft };
    const handle = this.hosted.begin<BundleResult<Totals>>({
      run: plan.run,
      workflowId,
      type: this.units.type,
      args: [input],
      summary: `bundle ${this.number} · ${units.length} ${this.units.noun}s`,
    });
    this.children.joined(handle);
    this.passOn();
    try {
      this.ended(bundle, await handle.result());
    } catch (error) {
      this.open.delete(workflowId);
      this.budgets?.end(workflowId);
      if (isWorkerCrash(error)) this.suspects.push(...units);
      else {
        this.left.push(...units);
        control.settle((before) => this.units.add(before, bundle.totals));
        // A cancellation reaches whoever waits for the bundles, too.
        if (!isCancellation(error)) control.fail(describeError(error).message);
      }
    }
    this.passOn();
  }

  private ended({ workflowId }: Bundle<Totals>, { totals, left, found, fatal }: BundleResult<Totals>): void {
    const { control } = this;
    this.open.delete(workflowId);
    control.found(found);
    control.settle((before) => this.units.add(before, totals));
    this.budgets?.end(workflowId);
    this.left.push(...left);
    if (fatal !== null) control.fail(fatal);
    if (left.length === 0 || !this.isRefused) return;
    // Stored replies were looked for, and there are none any more.
    this.isRefused = false;
    control.storedAreMissing();
  }

  private receive(report: BundleReport<Totals>): void {
    const { from, bundle: workflowId, totals, running, oldest, isBegun, budget } = report;
    this.children.received(from, () => {
      const bundle = this.open.get(workflowId);
      if (bundle === undefined) return;
      // Another attempt after a crash has not found everything yet.
      if (totals.lm_calls >= bundle.totals.lm_calls) bundle.totals = totals;
      const before = this.beginning.length;
      Object.assign(bundle, { running, oldest, isBegun });
      if (budget !== undefined) this.budgets?.onReport(workflowId, budget);
      if (this.beginning.length !== before || isBegun) this.passOn();
      this.control.changed();
    });
  }

  private refuse(): void {
    const { control } = this;
    if (control.storedLeft === 0) control.checkLimits();
    else if (!this.isRefused) {
      this.isRefused = true;
      this.passOn();
    }
  }
}

/** Bundle of units, worked on in a worker's process. */
class UnitBundle<Plan extends UnitsPlan, Unit, Totals extends UnitTotals> {
  private readonly accounts: UnitAccounts<Totals>;
  private readonly budget: ChildBudget | null;
  private orders: BundleOrders;
  private readonly left: number[] = [];
  private readonly waiting: ((grant: Grant | false) => void)[] = [];
  private begun = 0;
  private found = 0;
  private stored: number;
  private fatal: string | null = null;
  private isStopping = false;
  private isAsking = false;
  /** Number of waiting calls that were reported. */
  private requested = 0;
  private hasChanged = false;
  private reportedAt = 0;

  constructor(
    private readonly kind: Units<Plan, Unit, Totals>,
    private readonly input: BundleInput<Plan>,
    attempt: number,
  ) {
    this.orders = input.orders;
    this.stored = input.stored;
    this.budget = hasCallLimits(input.plan.limits) ? new ChildBudget() : null;
    // Those in flight when a worker was lost are among the first that have not ended.
    const units = attempt > 1 ? Math.max(input.orders.share, 1) : 0;
    this.accounts = new UnitAccounts(
      kind.none(),
      {
        isLimited: () => this.budget !== null,
        mayAsk: () => this.mayAsk(),
        ended: (grant, cost, how) => {
          this.found += cost.counted?.lm_calls ?? 0;
          this.stored -= cost.counted?.lm_calls ?? 0;
          const { lm_calls } = spendingOf(newlyPaid(cost));
          if (grant === 'new') this.budget?.[how === 'failed' ? 'failed' : 'ended'](lm_calls);
          this.hasChanged = true;
          this.serve();
        },
        storedAreMissing: () => {
          this.stored = 0;
        },
        leaves: (unit) => void this.left.push(unit),
        fail: (why) => this.fail(why),
        changed: () => {
          this.hasChanged = true;
          this.show();
        },
      },
      { units, times: attempt - 1 },
    );
  }

  onOrders(orders: BundleOrders): void {
    this.orders = orders;
    this.serve();
  }

  onGranted(calls: number): void {
    this.budget?.onGranted(calls);
    this.serve();
  }

  /** Hands back what is left: the worker is about to stop. */
  stop(): void {
    this.isStopping = true;
    this.serve();
  }

  async run(): Promise<BundleResult<Totals>> {
    const { units, plan } = this.input;
    const due = this.kind.due(plan);
    const going = new Set<Promise<void>>();
    let isOver = false;
    const reporting = this.reportUntil(() => isOver);
    reporting.catch(() => undefined);
    try {
      while (this.begun < units.length && this.begins()) {
        const mayBegin = () => this.accounts.running.size < this.orders.share && !this.orders.paused;
        await condition(() => !this.begins() || mayBegin());
        if (!this.begins()) break;
        const number = units[this.begun] as number;
        this.begun += 1;
        const working: Promise<void> = this.workOn(number, due[number] as Unit).finally(() =>
          going.delete(working),
        );
        going.add(working);
        if (this.begun === units.length) this.report();
      }
    } finally {
      // Also if the wait for room was cancelled.
      await Promise.all(going);
      isOver = true;
    }
    const { left, found, fatal } = this;
    return { totals: this.accounts.totals, left: [...left, ...units.slice(this.begun)], found, fatal };
  }

  private async workOn(number: number, unit: Unit): Promise<void> {
    const { plan } = this.input;
    try {
      await this.accounts.unit(
        number,
        (account) => this.kind.work(plan, unit, account),
        (error) => this.kind.recordError(plan, unit, error),
      );
    } catch (error) {
      this.left.push(number);
      if (isCancellation(error)) throw error;
      this.fail(faultText(error));
    }
  }

  /** Reports whether another unit may be begun, now or later. */
  private begins(): boolean {
    return !this.isOver() && !this.orders.handsOver && !this.isStopping;
  }

  private isOver(): boolean {
    return this.orders.over || this.fatal !== null;
  }

  private fail(why: string): void {
    this.fatal ??= why;
    this.serve();
  }

  /** Waits until another call may begin. */
  private mayAsk(): Grant | false | Promise<Grant | false> {
    const now = this.waiting.length === 0 ? this.grant() : null;
    if (now !== null) return now;
    const granted = new Promise<Grant | false>((resolve) => void this.waiting.push(resolve));
    // A cancellation reaches the bundle, too.
    this.askForCalls().catch(() => undefined);
    return granted;
  }

  /** @returns null while it has to wait */
  private grant(): Grant | false | null {
    const { budget, orders } = this;
    if (this.isOver()) return false;
    // While it is paused, nothing is waited for here that others could go on with.
    if (orders.paused) return this.begins() ? null : false;
    if (budget === null) return 'new';
    if (budget.available() > 0) {
      budget.begin();
      return 'new';
    }
    if (!orders.refused) return null;
    return this.stored > 0 ? 'stored' : false;
  }

  /** Lets calls that wait begin, as far as they may. */
  private serve(): void {
    for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
      const grant = this.grant();
      if (grant === null) return;
      this.waiting.shift();
      first(grant);
    }
  }

  /** Requests calls, as long as some wait for them. */
  private async askForCalls(): Promise<void> {
    if (this.isAsking || this.budget === null) return;
    this.isAsking = true;
    while (this.waiting.length > 0 && !this.isOver()) {
      const isNew = this.hasChanged || this.waiting.length > this.requested;
      // A report may have been lost.
      if (isNew || Date.now() - this.reportedAt >= REPORTED_EVERY) this.report();
      await sleep(REQUESTED_EVERY);
    }
    this.isAsking = false;
  }

  /** Reports from time to time what has changed. */
  private async reportUntil(isOver: () => boolean): Promise<void> {
    for (;;) {
      await sleep(LOOKED_EVERY);
      if (isOver()) return;
      if (this.hasChanged && Date.now() - this.reportedAt >= REPORTED_EVERY) this.report();
    }
  }

  private report(): void {
    const { parent, workflowId } = workflowInfo();
    if (parent === undefined) throw new Error('a bundle has an experiment');
    const { accounts, budget, waiting } = this;
    this.hasChanged = false;
    this.requested = waiting.length;
    this.reportedAt = Date.now();
    const running = accounts.running.size;
    const ahead = waiting.length === 0 || this.orders.refused ? 0 : running - waiting.length;
    const missing = Math.max(waiting.length + ahead - (budget?.available() ?? 0), 0);
    getExternalWorkflowHandle(parent.workflowId)
      .signal(reportSignal, {
        from: ownExecution(),
        bundle: workflowId,
        totals: accounts.totals,
        running,
        ...this.oldest(),
        isBegun: this.begun === this.input.units.length,
        ...(budget === null ? {} : { budget: budget.report(spendingOf(accounts.totals), missing) }),
      })
      .catch((error: unknown) => {
        if (isGone(error)) this.onOrders({ ...this.orders, paused: false, over: true });
      });
  }

  private oldest(): { oldest?: InProgress } {
    // Units are begun one after the other.
    const [oldest] = this.accounts.running;
    return oldest === undefined ? {} : { oldest };
  }

  private show(): void {
    const { begun, accounts, input, kind } = this;
    const { running } = accounts;
    const { oldest } = this.oldest();
    const since = oldest === undefined ? '' : `, the longest since ${new Date(oldest[1]).toISOString()}`;
    setCurrentDetails(
      `${begun - running.size} of ${input.units.length} ${kind.noun}s ended, ${running.size} in progress${since}`,
    );
  }
}

/** Creates the workflow that works on a bundle of units in a worker's process; it is not started by itself. */
export function bundleOf<Plan extends UnitsPlan, Unit, Totals extends UnitTotals>(
  units: Units<Plan, Unit, Totals>,
) {
  return async (input: BundleInput<Plan>, attempt?: number): Promise<BundleResult<Totals>> => {
    if (attempt === undefined)
      throw refusal(`${units.type} are a part of an experiment, which starts them: start that`);
    const bundle = new UnitBundle(units, input, attempt);
    receive(ordersSignal, isBundleOrders, (orders) => bundle.onOrders(orders));
    receive(grantSignal, isGrant, (calls) => bundle.onGranted(calls));
    setHandler(stoppingSignal, () => bundle.stop());
    return bundle.run();
  };
}

/**
 * Works on all units of an experiment that are due, in as many executions as needed: each call is a step of the
 * workflow, or workers run bundles of units.
 */
export async function workOnUnits<Plan extends UnitsPlan & { run: string }, Unit, Totals extends UnitTotals>(
  units: Units<Plan, Unit, Totals>,
  {
    plan,
    control,
    carried,
    handOver,
  }: {
    plan: Plan;
    control: Control<Plan, Totals>;
    carried: { begun: number; left?: number[] } | undefined;
    handOver(more: { begun: number; left?: number[] }): Promise<never>;
  },
): Promise<void> {
  const due = units.due(plan);
  const byCall = (numbers: readonly number[], before: typeof carried, onto = handOver) =>
    beginAll(numbers, { control, carried: before, handOver: onto }, (number) =>
      control.accounts.unit(
        number,
        (account) => units.work(plan, due[number] as Unit, account),
        (error) => units.recordError(plan, due[number] as Unit, error),
      ),
    );
  if (plan.grain !== 'unit') return byCall([...due.keys()], carried);
  const dealer = new Dealer(units, plan, control, carried?.left ?? [...due.keys()]);
  await dealer.run();
  control.bundles = undefined;
  const left = [...dealer.left, ...dealer.suspects];
  if (left.length === 0) return control.allBegun();
  if (!control.continues()) return control.leaves();
  if (dealer.left.length > 0) await handOver({ begun: 0, left });
  return byCall(dealer.suspects, undefined, ({ begun }) => handOver({ begun: 0, left: left.slice(begun) }));
}
