import type { MemorySnapshot } from '../../../memory/memory-module.js';
import { hasCallLimits } from '../../../runtime/budget.js';
import { ChildBudget } from '../../../runtime/child-budget.js';
import { addSpending, NOTHING_SPENT } from '../../../runtime/step-cost.js';
import { PATIENT } from '../../../workflows/activity-options.js';
import { fatalMessage, faultText } from '../../../workflows/failures.js';
import {
  activitiesOf,
  isCancellation,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '../../../workflows/sdk.js';
import { refusal } from '../../../workflows/started-rightly.js';
import type {
  BundleActivities,
  Dealt,
  LaneBundleResult,
  LaneInProgress,
  LaneOrders,
  LaneRequest,
  RunPlan,
  Totals,
} from '../contracts.js';
import { isInEpisode, isNewLane, type LaneState, takeInEpisode } from '../lane/lane-state.js';
import { addTotals, noTotals, spendingOfTotals } from '../lane/totals.js';
import { type LaneAccount, laneAccount } from './lane-account.js';
import { PartWriter } from './part-writer.js';
import { type LaneControl, type LaneSource, RunSession } from './run-session.js';

const bundles = activitiesOf<BundleActivities>(PATIENT);

/** Milliseconds between two questions how to go on. */
const ASKED_EVERY = 1000;
/** Milliseconds between two reports while there is no need for lanes. */
const REPORTED_EVERY = 10_000;
/** Milliseconds between two times that a lane of all samples is kept. */
const KEPT_EVERY = 2000;
/** Milliseconds between two requests for lanes in advance, and for which those are enough. */
const DEALT_EVERY = 200;
const AHEAD_FOR = 400;

/** Bundle of lanes that a run works on in a worker's process. */
class LaneBundle implements LaneControl, LaneSource {
  onChange: () => void = () => undefined;
  private orders: LaneOrders = { lanes: 0, isPaused: false, mustEnd: false, isOver: false, handsOver: false };
  /** Lanes that were dealt and are not begun. */
  private readonly queue: LaneState[] = [];
  /** Totals of the lanes in progress and of those that are not reported as ended, by their first slot. */
  private readonly open = new Map<number, Totals>();
  /** Totals of lanes that were reported as ended. */
  private reported = noTotals();
  /** Spending among all of them of replies that an earlier attempt had stored. */
  private found = NOTHING_SPENT;
  private readonly left: LaneState[] = [];
  /** Lanes in progress, by their first slot: when each was begun, in milliseconds since 1970. */
  private readonly inProgress = new Map<number, number>();
  private endedLanes = 0;
  private fatal: string | null = null;
  private isOld = false;
  /** True if the run has no further lane for now. */
  private isEmpty = false;
  private dealing: Promise<void> | null = null;
  private requests = 0;
  private dealtAt = 0;
  /** Number of lanes that were begun since the last request. */
  private begunSince = 0;
  private hasChanged = false;
  /** Granted calls; null if limits count none. */
  private readonly budget: ChildBudget | null;
  /** Lanes that wait for a call. */
  private waiting: ((mayCall: boolean) => void)[] = [];
  /** Number of waiting lanes that were reported. */
  private requested = 0;
  private isAsking = false;
  private keptAt = Date.now();
  readonly writer: PartWriter;

  constructor(
    private readonly plan: RunPlan,
    private readonly number: number,
    private readonly attempt: number,
  ) {
    this.budget = hasCallLimits(plan.limits) ? new ChildBudget() : null;
    this.writer = new PartWriter(plan, 0, `${workflowInfo().runId.slice(-12)}-${number}-${attempt}`);
  }

  async run(): Promise<LaneBundleResult> {
    const session = new RunSession(this.plan, this, this, this.writer);
    await session.load();
    let isOver = false;
    this.askUntil(() => isOver).catch((error: unknown) => this.failBy(error));
    try {
      await this.dealOnce();
      do await session.run();
      while (await this.hasMore());
    } catch (error) {
      // Lanes that were cut off are handed back like others. What will not succeed later ends the run.
      const fatal = fatalMessage(error);
      if (fatal !== null) this.fail(fatal);
      else if (!isCancellation(error)) throw error;
    } finally {
      isOver = true;
    }
    const totals = addTotals([this.reported, ...this.open.values()]);
    return { left: [...this.left, ...this.queue], totals, found: this.found, fatal: this.fatal };
  }

  get lanes(): number {
    return this.orders.lanes;
  }

  isPaused(): boolean {
    return this.orders.isPaused;
  }

  mustEnd(): boolean {
    return this.orders.mustEnd || this.fatal !== null;
  }

  isOver(): boolean {
    return this.orders.isOver || this.isOld || this.fatal !== null;
  }

  handsOver(): boolean {
    return this.orders.handsOver;
  }

  fail(why: string): void {
    this.fatal ??= why;
    this.close();
    this.onChange();
  }

  close(): void {
    for (const refuse of this.waiting.splice(0)) refuse(false);
  }

  /** Keeps the lane of all samples every few seconds, with its rows: after a crash, it continues from there. */
  async keep(snapshot: () => LaneState): Promise<void> {
    const { plan } = this;
    if (plan.memory_scope === 'sample' || Date.now() - this.keptAt < KEPT_EVERY) return;
    this.keptAt = Date.now();
    const state = snapshot();
    await this.writer.flush();
    const totals = this.open.get(state.from) ?? noTotals();
    await bundles.keepLane({ run: plan.run, execution: plan.execution, lane: { state, totals } });
  }

  begins(lane: LaneState): LaneAccount {
    const totals = this.open.get(lane.from) ?? noTotals();
    this.open.set(lane.from, totals);
    this.inProgress.set(lane.from, Date.now());
    const changed = () => {
      this.hasChanged = true;
    };
    return laneAccount(lane, totals, {
      mayCall: () => this.requestCall(),
      onCall: (requests, how) => {
        this.budget?.[how === 'failed' ? 'failed' : 'ended'](requests);
        changed();
        this.serve();
      },
      onFound: (cost) => {
        this.found = addSpending(this.found, cost);
      },
      onPaid: changed,
      onEpisode: changed,
      leave: () => {
        this.inProgress.delete(lane.from);
        this.endedLanes += 1;
        this.show();
      },
    });
  }

  take(memory: MemorySnapshot | null): LaneState | undefined {
    const lane = this.queue.shift();
    this.refill();
    if (lane === undefined) return undefined;
    this.begunSince += 1;
    return isNewLane(lane) ? { ...lane, memory } : lane;
  }

  takeBegun(): LaneState | undefined {
    return takeInEpisode(this.queue);
  }

  handBack(lane: LaneState): void {
    this.left.push(lane);
  }

  private get oldest(): LaneInProgress | undefined {
    const [oldest] = this.inProgress;
    return oldest;
  }

  /** Shows in the Temporal UI, as the details of the heartbeat, what it is working on. */
  private show(): void {
    const { oldest, endedLanes, inProgress } = this;
    const since = oldest === undefined ? '' : `, the longest since ${new Date(oldest[1]).toISOString()}`;
    setCurrentDetails(`${endedLanes} samples ended, ${inProgress.size} in progress${since}`);
  }

  /** Waits for lanes that are being dealt. @returns true if there is one to run */
  private async hasMore(): Promise<boolean> {
    if (this.isOver() || this.handsOver()) return false;
    this.refill();
    await this.dealing;
    if (this.isOver() || this.handsOver()) return false;
    return this.mustEnd() ? this.queue.some(isInEpisode) : this.queue.length > 0;
  }

  /** Number of lanes to have in advance, by the rate at which they are begun. */
  private get ahead(): number {
    const since = Math.max(Date.now() - this.dealtAt, DEALT_EVERY);
    return Math.min(Math.ceil((this.begunSince * AHEAD_FOR) / since), 4 * this.lanes);
  }

  /** Requests lanes where there are few in advance. */
  private refill(): void {
    if (this.dealing !== null || this.isEmpty || this.isOver() || this.handsOver()) return;
    const { ahead } = this;
    if (this.queue.length > 0 && (this.queue.length > ahead / 2 || Date.now() - this.dealtAt < DEALT_EVERY))
      return;
    this.dealOnce().catch((error: unknown) => this.failBy(error));
  }

  /** Deals, unless that is in progress: a later report never comes before an earlier one. */
  private dealOnce(): Promise<void> {
    this.dealing ??= this.deal().finally(() => {
      this.dealing = null;
    });
    return this.dealing;
  }

  private failBy(error: unknown): void {
    if (!isCancellation(error)) this.fail(faultText(error));
  }

  /** Reports, and takes the lanes that the run deals. */
  private async deal(): Promise<void> {
    const { plan, number, attempt, lanes } = this;
    const isFirst = this.requests === 0;
    const want = this.isEmpty
      ? 0
      : Math.max(lanes - this.inProgress.size - this.queue.length + this.ahead, 0);
    this.dealtAt = Date.now();
    this.begunSince = 0;
    this.hasChanged = false;
    const ended = this.writer.takeWritten();
    for (const from of ended) {
      const totals = this.open.get(from);
      this.open.delete(from);
      if (totals !== undefined) this.reported = addTotals([this.reported, totals]);
    }
    const dealt = await bundles.dealLanes({
      run: plan.run,
      update: `lanes-${number}-${attempt}-${this.requests++}`,
      deal: {
        bundle: number,
        attempt,
        want,
        ended,
        running: this.inProgress.size,
        oldest: this.oldest,
        totals: { ended: this.reported, open: addTotals([...this.open.values()]), found: this.found },
        ...this.callsReport(),
      },
    });
    await this.receive(dealt, isFirst ? 0 : want);
    if (isFirst) await this.deal();
  }

  private async receive({ lanes, isOld = false, orders }: Dealt, want: number): Promise<void> {
    for (const lane of lanes) this.queue.push(lane.lost === undefined ? lane : await this.begunBefore(lane));
    this.isOld ||= isOld;
    if (lanes.length < want) this.isEmpty = true;
    this.follow(orders);
  }

  /** Returns a lane that an earlier attempt may have begun: one of many samples continues from where it was kept. */
  private async begunBefore(lane: LaneState): Promise<LaneState> {
    if (this.plan.memory_scope === 'sample') return lane;
    const { run, execution } = this.plan;
    const kept = await bundles.keptLane({ run, execution, from: lane.from });
    if (kept === null) return lane;
    this.open.set(lane.from, kept.totals);
    return lane.lost === undefined ? kept.state : { ...kept.state, lost: lane.lost };
  }

  private follow(orders: LaneOrders): void {
    const { budget } = this;
    this.orders = orders;
    if (budget !== null) {
      budget.onGranted(orders.granted ?? 0);
      this.serve();
      if (orders.isShort && this.waiting.length === 0 && budget.available() > 0) {
        budget.return();
        this.hasChanged = true;
      }
    }
    if (this.isOver()) this.close();
    this.onChange();
  }

  /** Requests a call, and waits for it while none is granted. */
  private requestCall(): boolean | Promise<boolean> {
    if (this.isOver()) return false;
    if (this.budget === null) return true;
    if (this.waiting.length === 0 && this.budget.available() > 0) {
      this.budget.begin();
      return true;
    }
    const granted = new Promise<boolean>((resolve) => {
      this.waiting.push(resolve);
    });
    this.askForCalls().catch((error: unknown) => this.failBy(error));
    return granted;
  }

  /** Lets lanes that wait begin the calls that are available. */
  private serve(): void {
    const { budget, waiting } = this;
    if (budget === null) return;
    for (let lane = waiting[0]; lane !== undefined && budget.available() > 0; lane = waiting[0]) {
      waiting.shift();
      budget.begin();
      lane(true);
    }
  }

  /**
   * Reports, as long as lanes wait for calls and there is something new to report, or nobody's request waits: theirs was
   * refused, and the run goes on.
   */
  private async askForCalls(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      while (this.waiting.length > 0 && !this.isOver()) {
        if (this.hasChanged || this.waiting.length > this.requested || !this.orders.isShort)
          await this.dealOnce();
        if (this.waiting.length > 0) await sleep(DEALT_EVERY);
      }
    } finally {
      this.isAsking = false;
    }
  }

  /** Returns what is reported on calls: one is requested for each lane that waits, and one for each in progress. */
  private callsReport(): Pick<LaneRequest, 'calls'> {
    const { budget, orders } = this;
    const running = this.inProgress.size;
    if (budget === null) return {};
    this.requested = this.waiting.length;
    const ahead = this.waiting.length === 0 || orders.isShort ? 0 : running;
    const { spent: _spent, ...calls } = budget.report(
      spendingOfTotals(noTotals()),
      Math.max(this.waiting.length + ahead - budget.available(), 0),
    );
    return { calls };
  }

  /** Asks every second how to go on, and reports what has changed, until the bundle is over. */
  private async askUntil(isOver: () => boolean): Promise<void> {
    const { run } = this.plan;
    for (;;) {
      await sleep(ASKED_EVERY);
      if (isOver()) return;
      this.follow(await bundles.laneOrders({ run, bundle: this.number }));
      const isDue = this.hasChanged && (this.orders.isShort || Date.now() - this.dealtAt >= REPORTED_EVERY);
      if (isDue) await this.dealOnce();
    }
  }
}

/**
 * Works on lanes of a run in a worker's process: the same session as in the workflow, over the worker's activities,
 * without a history. What they store is what another attempt is answered from.
 */
export async function lanes(plan: RunPlan, number: number, attempt?: number): Promise<LaneBundleResult> {
  if (attempt === undefined) throw refusal('lanes are a part of a run, which starts them: start that');
  return new LaneBundle(plan, number, attempt).run();
}
