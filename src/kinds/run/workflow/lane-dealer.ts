import type { Spending } from '../../../contracts/experiment.js';
import type { UnitsActivities } from '../../../contracts/run-units.js';
import { hasCallLimits } from '../../../runtime/budget.js';
import { ChildBudgets } from '../../../runtime/child-budget.js';
import { NOTHING_SPENT, spendingBeyond } from '../../../runtime/step-cost.js';
import { unitsOptions } from '../../../workflows/activity-options.js';
import { ApplicationFailure, activitiesOf, condition, setHandler } from '../../../workflows/sdk.js';
import type {
  Dealt,
  LaneBundleResult,
  LaneInProgress,
  LaneOrders,
  LaneRequest,
  RunPlan,
  Totals,
} from '../contracts.js';
import { hasOwnCode, LANES } from '../contracts.js';
import type { LaneState } from '../lane/lane-state.js';
import { addTotals, noTotals, spendingOfTotals, storedOf } from '../lane/totals.js';
import type { LaneQueue } from './lane-queue.js';
import { dealUpdate, isDeal, ordersQuery } from './messages.js';
import type { RunControl } from './run-control.js';

/**
 * Maximum number of bundles at once, each of which may wait for an answer: a server holds ten updates of a workflow. And
 * number of lanes up to which one is enough; several workers share the others.
 */
const MAX_BUNDLES = 8;
const LANES_OF_BUNDLE = 32;
/** Workers lost with a lane from which on it is suspected to crash them, and from which on it ends the run. */
const SUSPECTED_FROM = 2;
const MAX_LOST = 8;

const units = activitiesOf<UnitsActivities>({ startToCloseTimeout: '1m' });

/** Bundle in progress. */
interface Bundle {
  /** Place among the bundles at once, which has a share of the lanes. */
  seat: number;
  /** Lanes that it was dealt and has not reported as ended, by their first slot. */
  dealt: Map<number, LaneState>;
  /** Newest attempt that has reported. */
  attempt: number;
  /** Totals of the lanes that earlier attempts have ended. */
  before: Totals;
  /** Totals of the newest attempt: of the lanes that it has ended and reported, and of all others. */
  ended: Totals;
  open: Totals;
  /** Spending among these of replies that an earlier attempt had stored. */
  found: Spending;
  /** Totals of the lanes that were open when an attempt was lost, shown until the next one has found as much again. */
  lost: Totals;
  running: number;
  /** Its oldest lane in progress. */
  oldest?: LaneInProgress | undefined;
  /** Calls that the newest attempt is granted in total. */
  granted: number;
  /** The one lane that it works on; absent: whatever there is. */
  alone?: LaneState[];
}

/** Anybody can send an update. @throws ApplicationFailure for one that cannot be read. */
function assertDeal(deal: unknown): void {
  if (!isDeal(deal)) throw ApplicationFailure.nonRetryable('this is no report of a bundle');
}

/** Returns the totals of a bundle, as they are shown. What a new attempt has not found again yet was counted before. */
function totalsOf({ before, ended, open, lost }: Bundle): Totals {
  const newest = addTotals([ended, open]);
  return addTotals([before, newest.lm_calls < lost.lm_calls ? lost : newest]);
}

/** Returns what a bundle's newest attempt has spent by new requests. */
function freshOf({ ended, open, found }: Bundle): Spending {
  const all = spendingOfTotals(addTotals([ended, open]));
  const { unrecorded } = all;
  return { ...spendingBeyond(all, found), ...(unrecorded === undefined ? {} : { unrecorded }) };
}

/**
 * Deals the lanes of a run to bundles, each an activity that works on its lanes in a worker's process and asks for more
 * here.
 */
export class LaneDealer {
  private readonly bundles = new Map<number, Bundle>();
  private readonly seats: number;
  private begun = 0;
  /** Lanes that were in several workers when these died: which call crashes its worker is found call by call. */
  private readonly suspects: LaneState[] = [];
  /** Calls of the bundles; null if limits count none. */
  private readonly budgets: ChildBudgets | null;

  constructor(
    private readonly plan: RunPlan,
    private readonly control: RunControl,
    private readonly lanes: LaneQueue,
  ) {
    this.seats = Math.min(MAX_BUNDLES, Math.ceil(control.lanes / LANES_OF_BUNDLE));
    const granted = (attempt: string, calls: number) => {
      const [number, newest] = attempt.split('-').map(Number);
      const bundle = this.bundles.get(number as number);
      if (bundle !== undefined && bundle.attempt === newest) bundle.granted = calls;
    };
    const refused = () => control.changed();
    this.budgets = hasCallLimits(plan.limits)
      ? new ChildBudgets(plan.limits, () => control.settled(), { granted, refused })
      : null;
    setHandler(dealUpdate, (deal) => this.deal(deal), { validator: assertDeal });
    setHandler(ordersQuery, (bundle) => this.orders(bundle));
  }

  /**
   * Works until no lane can be dealt, then on suspects of users' code one by one.
   * @returns true if there are suspects left, to be worked on call by call
   */
  async run(): Promise<boolean> {
    const seats = Array.from({ length: this.seats }, (_, seat) => this.workFrom(seat));
    const results = await Promise.allSettled(seats);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const suspects = this.suspects.splice(0);
    if (!hasOwnCode(this.plan) || this.isOver() || this.control.mustEnd()) {
      for (const lane of suspects) this.lanes.giveBack(lane);
      return suspects.length > 0 && !hasOwnCode(this.plan);
    }
    for (const lane of suspects) {
      if (this.isOver()) this.lanes.giveBack(lane);
      else await this.runBundle(this.begun++, 0, [lane]);
    }
    return false;
  }

  /** Runs one bundle after the other, as long as there are lanes or a bundle may hand some back. */
  private async workFrom(seat: number): Promise<void> {
    for (;;) {
      const mayBegin = () => this.mayDeal() && this.lanesOf(seat) > 0;
      await condition(() => this.isOver() || mayBegin() || (this.bundles.size === 0 && !this.mayDeal()));
      if (this.isOver() || !mayBegin()) return;
      await this.runBundle(this.begun++, seat);
    }
  }

  private isOver(): boolean {
    const { control } = this;
    return control.isOver() || control.handsOver();
  }

  private mayDeal(): boolean {
    return this.lanes.hasMore(this.control.mustEnd());
  }

  private async runBundle(number: number, seat: number, alone?: LaneState[]): Promise<void> {
    const { plan, control } = this;
    const bundle: Bundle = {
      seat,
      dealt: new Map(),
      attempt: 0,
      before: noTotals(),
      ended: noTotals(),
      open: noTotals(),
      found: NOTHING_SPENT,
      lost: noTotals(),
      running: 0,
      granted: 0,
      ...(alone === undefined ? {} : { alone }),
    };
    this.bundles.set(number, bundle);
    const leave = control.hasBundle(() => ({
      totals: totalsOf(bundle),
      running: bundle.running,
      oldest: bundle.oldest,
      before: spendingOfTotals(bundle.before),
      fresh: freshOf(bundle),
      found: bundle.found,
    }));
    try {
      const result = (await units.runUnits.executeWithOptions(unitsOptions(`bundle ${number + 1}`), [
        { run: plan.run, type: LANES, args: [plan, number] },
      ])) as LaneBundleResult;
      for (const lane of result.left) this.lanes.giveBack(lane);
      bundle.dealt.clear();
      const { totals: ended, found } = result;
      Object.assign(bundle, { ended, found, open: noTotals(), lost: noTotals() });
      if (result.fatal !== null) control.fail(result.fatal);
    } finally {
      // What it was dealt is in its store: whoever goes on with a lane finds its calls there.
      for (const lane of [...bundle.dealt.values(), ...(alone ?? [])]) this.lanes.giveBack(lane);
      this.bundles.delete(number);
      leave(totalsOf(bundle));
      this.budgets?.end(`${number}-${bundle.attempt}`);
    }
  }

  private deal({ bundle: number, attempt, want, ended, running, oldest, totals, calls }: LaneRequest): Dealt {
    const bundle = this.bundles.get(number);
    if (bundle === undefined || attempt < bundle.attempt)
      return { lanes: [], isOld: true, orders: this.orders(number) };
    const isNew = attempt > bundle.attempt;
    if (isNew) {
      bundle.attempt = attempt;
      bundle.granted = 0;
      bundle.before = addTotals([bundle.before, bundle.ended]);
      this.control.hasLost(bundle.found, storedOf(bundle.open));
      if (bundle.open.lm_calls > bundle.lost.lm_calls) bundle.lost = bundle.open;
    }
    Object.assign(bundle, { running, oldest });
    for (const slot of ended) bundle.dealt.delete(slot);
    bundle.ended = totals.ended;
    bundle.open = totals.open;
    bundle.found = totals.found;
    const again = isNew ? this.dealtAgain(bundle) : [];
    const { isOver, handsOver, mustEnd } = this.orders(number);
    const count = isOver || handsOver ? 0 : want - again.length;
    const fresh =
      bundle.alone === undefined ? this.lanes.takeSome(count, mustEnd) : bundle.alone.splice(0, count);
    for (const lane of fresh) bundle.dealt.set(lane.from, lane);
    this.control.changed();
    this.reportCalls(number, bundle, { isNew, calls });
    return { lanes: [...again, ...fresh], orders: this.orders(number) };
  }

  /** Passes on what a bundle reports on calls. Those of an attempt that was lost are spent, or nobody's. */
  private reportCalls(
    number: number,
    bundle: Bundle,
    { isNew, calls }: { isNew: boolean; calls: LaneRequest['calls'] },
  ): void {
    if (this.budgets === null || calls === undefined) return;
    const { attempt } = bundle;
    const name = `${number}-${attempt}`;
    if (isNew) {
      this.budgets.begin(name);
      for (let earlier = 1; earlier < attempt; earlier += 1) this.budgets.end(`${number}-${earlier}`);
    }
    this.budgets.onReport(name, { ...calls, spent: freshOf(bundle) });
  }

  /** Returns the lanes that were lost with an attempt, except suspects. */
  private dealtAgain({ dealt, alone }: Bundle): LaneState[] {
    const again: LaneState[] = [];
    for (const lane of dealt.values()) {
      const lost = { ...lane, lost: (lane.lost ?? 0) + 1 };
      if (lost.lost >= MAX_LOST)
        this.control.fail(
          `the agent's code has ended ${MAX_LOST} workers with the sample in slot ${lane.from}`,
        );
      if (lost.lost < SUSPECTED_FROM || alone !== undefined) {
        dealt.set(lane.from, lost);
        again.push(lost);
      } else {
        dealt.delete(lane.from);
        this.suspects.push(lost);
      }
    }
    return again;
  }

  /** Returns how a bundle is to go on. */
  private orders(number: number): LaneOrders {
    const { control } = this;
    const seat = this.bundles.get(number)?.seat;
    const lanes = seat === undefined ? 0 : this.lanesOf(seat);
    return {
      lanes,
      isPaused: control.isPaused(),
      mustEnd: control.mustEnd(),
      isOver: control.isOver(),
      // One that has no share of a smaller number of lanes hands back what it has.
      handsOver: control.handsOver() || lanes === 0,
      ...(this.budgets === null
        ? {}
        : { granted: this.bundles.get(number)?.granted ?? 0, isShort: this.budgets.isShort() }),
    };
  }

  /** Returns the share of a seat in the lanes at once. */
  private lanesOf(seat: number): number {
    const { lanes } = this.control;
    return Math.floor(lanes / this.seats) + (seat < lanes % this.seats ? 1 : 0);
  }
}
