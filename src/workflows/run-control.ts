import { ApplicationFailure, setCurrentDetails } from '@temporalio/workflow';
import type { Allotment } from '../contracts/allotment.js';
import type { Metrics } from '../contracts/results.js';
import type {
  ControlState,
  Progress,
  RunCarried,
  RunPlan,
  ShardCarried,
  ShardReport,
  ShardResult,
  Totals,
} from '../contracts/run.js';
import { Allotments } from '../runtime/allotments.js';
import { hasCallLimits, reachedLimit } from '../runtime/budget.js';
import { dealConcurrency } from '../runtime/deal.js';
import { accuracyOf, addTotals, noTotals, spendingOfTotals, totalsOf } from '../runtime/totals.js';
import { Children, tell } from './children.js';
import type { Outcome } from './conduct.js';
import { ExperimentControl } from './experiment-control.js';
import { controlSignal } from './messages.js';
import { progressMarkdown } from './progress-markdown.js';
import { type ShardHandle, ShardRegister } from './shard-register.js';

const MOST_LANES = 10_000;

/** A run's state: what its shards report, what people ask for, what is left of its budget. */
export class RunControl extends ExperimentControl<RunPlan> {
  /** What the shards were started with. */
  private dealt = { concurrency: 0, paused: false };
  private allotments: Allotments | null = null;
  private readonly shards: ShardRegister;
  private readonly children = new Children();
  /** What each shard was allotted when it was started. */
  private readonly opened = new Map<number, Allotment | undefined>();
  /** The shards are asked for their lanes, so that the run can go on in another execution. */
  private handsOver = false;
  private metrics: Metrics | null = null;

  /**
   * @param before what the execution before hands over, when this one continues it
   * @param isLong whether this execution's history has grown long.
   */
  constructor(
    private readonly workflowId: string,
    private readonly before?: Pick<RunCarried, 'asked' | 'unfinished' | 'shards' | 'budget'>,
    private readonly isLong: () => boolean = () => false,
  ) {
    super('run', before?.asked);
    this.unfinished = before?.unfinished ?? false;
    this.shards = new ShardRegister(before?.shards);
  }

  begin(plan: RunPlan): void {
    // Asked for before anybody could know that the samples go one by one.
    if (plan.memory_scope === 'run') this.standing.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    if (this.before?.budget !== undefined) this.allotments = Allotments.resume(this.before.budget);
    else if (hasCallLimits(plan.limits)) {
      const shards = Array.from({ length: plan.shards }, (_, shard) => shard);
      this.allotments = Allotments.begin(plan.limits, plan.kept, shards);
    }
    this.checkLimits();
    this.showPhase();
  }

  begins(workflowId: string): void {
    this.children.begins(workflowId);
  }

  joined(shard: number, handle: ShardHandle): void {
    this.shards.joined(shard, handle);
    this.children.joined(handle);
    // Whatever was asked for, and what it was allotted, while it was being started.
    if (this.handsOver || this.standing.isHeld() || this.hasChanged()) this.passOn();
    else if (this.allotments?.of(shard) !== this.opened.get(shard)) this.control(shard);
  }

  /** A shard has ended; the others take over its share of the lanes. */
  left(shard: number, result: ShardResult): void {
    if (result.fatal !== null) this.standing.fail(result.fatal);
    if (result.carried !== undefined) {
      this.shards.handedOver(shard, result.carried);
      for (const one of this.allotments?.rest(shard, result.totals) ?? []) this.control(one);
      this.checkLimits();
      this.show();
    } else {
      if (!result.finished) this.unfinished = true;
      this.leave(shard, result.totals);
    }
  }

  /** A shard failed or was terminated; the run cannot be whole any more. */
  broke(shard: number, message: string): void {
    this.unfinished = true;
    this.standing.fail(`shard ${shard}: ${message}`);
    this.leave(shard);
  }

  receive(report: ShardReport): void {
    this.children.hear(report.from, () => this.hear(report));
  }

  private hear(report: ShardReport): void {
    const { shard, claim, again = false, fatal } = report;
    if (!this.shards.hear(report)) return;
    const hasForgotten = this.shards.hasForgotten(report);
    if (fatal !== undefined && !this.standing.hasFailed()) {
      this.standing.fail(fatal);
      this.passOn();
    }
    const told = claim === undefined ? [] : (this.allotments?.hear(shard, claim) ?? []);
    this.checkLimits();
    if (this.beginsToHandOver()) this.passOn();
    else for (const one of told) this.control(one);
    if (hasForgotten && !told.includes(shard)) this.control(shard);
    if (again) this.answer(shard, (claim?.wanted ?? 0) > 0);
    this.show();
  }

  override pause(paused: boolean): void {
    this.standing.pause(paused);
    if (this.standing.phase !== 'stopping') this.showPhase();
    this.passOn();
  }

  override stop(): void {
    this.standing.stop();
    this.showPhase();
    this.passOn();
  }

  override exhaust(message: string): void {
    if (!this.standing.isExhausted()) super.exhaust(message);
  }

  override setConcurrency(lanes: number): number {
    const before = super.setConcurrency(lanes);
    this.passOn();
    return before;
  }

  override assertConcurrency(lanes: number): void {
    this.standing.assertConcurrency(lanes, MOST_LANES);
    if (this.plan?.memory_scope === 'run') {
      throw ApplicationFailure.nonRetryable(
        'runtime.memory_scope is run: its samples share one memory and go one by one',
      );
    }
  }

  /** The shards that have work. */
  due(): number[] {
    return this.shards.due(this.plan?.shards ?? 0);
  }

  /** What each shard is started with. */
  deal(shards: readonly number[]): Map<number, { control: ControlState; carried?: ShardCarried }> {
    this.dealt = this.standing.asked();
    this.shards.start(shards);
    const shares = [...dealConcurrency(this.dealt.concurrency, shards)];
    for (const [shard, share] of shares) {
      this.allotments?.open(shard, share);
      this.opened.set(shard, this.allotments?.of(shard));
    }
    return new Map(
      shares.map(([shard, share]) => {
        const carried = this.carriedBy(shard);
        const control = this.stateFor(shard, share);
        return [shard, { control, ...(carried === undefined ? {} : { carried }) }];
      }),
    );
  }

  private carriedBy(shard: number): ShardCarried | undefined {
    const carried = this.shards.resume(shard);
    if (carried?.budget === undefined || this.allotments === null) return carried;
    return { ...carried, budget: this.allotments.resumed(shard, carried.budget) };
  }

  /** Whether the run goes on in another execution. Where it may not go on, what its shards have left is left. */
  carriesOn(): boolean {
    if (!this.shards.carriesOn()) return false;
    if (!this.standing.isOver()) return true;
    this.unfinished = true;
    return false;
  }

  /** For an execution that continues this one. */
  handOver(): Pick<RunCarried, 'asked' | 'unfinished' | 'shards' | 'budget'> {
    const budget = this.allotments?.budget;
    return {
      asked: this.standing.asked(),
      unfinished: this.unfinished,
      shards: this.shards.standing,
      ...(budget === undefined ? {} : { budget }),
    };
  }

  override outcome(cancelled: boolean): Outcome {
    const ended = this.standing.outcome(false);
    if (ended.status === 'failed') return ended;
    if (cancelled) return { status: 'cancelled', message: 'the workflow was cancelled' };
    if (!this.unfinished) return { status: 'done', message: null };
    return ended.status === 'limit_reached' ? ended : { status: 'stopped', message: 'stopped on request' };
  }

  finish(metrics: Metrics): void {
    this.metrics = metrics;
    this.setPhase(metrics.status);
  }

  progress(): Progress {
    const { plan, metrics } = this;
    const totals = metrics === null ? this.sum() : totalsOf(metrics);
    return {
      experiment: plan?.experiment ?? this.workflowId,
      phase: this.standing.phase,
      samples_planned: plan?.samples_planned ?? 0,
      concurrency: this.standing.concurrency,
      totals,
      accuracy: accuracyOf(totals),
      ...(plan?.accuracy_of === undefined ? {} : { accuracy_of: plan.accuracy_of }),
      shards: [...this.shards.ids],
      artifacts: plan?.artifacts ?? '',
      simulated: plan?.simulated ?? false,
      message: this.standing.message,
      ...(plan?.means === undefined ? {} : { means: plan.means }),
    };
  }

  private sum(): Totals {
    return addTotals([this.plan?.kept ?? noTotals(), ...this.shards.totals()]);
  }

  private leave(shard: number, last?: Totals): void {
    this.shards.end(shard, last);
    const totals = this.shards.totalsOf(shard);
    this.allotments?.end(shard, totals ?? noTotals());
    if (this.shards.atWork().length > 0) this.passOn();
    this.checkLimits();
    this.show();
  }

  private checkLimits(): void {
    if (this.plan === undefined || this.allotments?.isExhausted() !== true || this.standing.isExhausted())
      return;
    const spent = spendingOfTotals(this.sum());
    this.exhaust(reachedLimit(this.plan.limits, spent) ?? 'limits: nothing is left to spend');
  }

  private stateFor(shard: number, concurrency: number): ControlState {
    const { paused, stopping } = this.standing.asked();
    const version = this.shards.nextVersion(shard);
    const allotted = this.allotments?.of(shard);
    return {
      version,
      paused,
      stopping,
      exhausted: this.standing.isOver(),
      ...(this.handsOver ? { hands_over: true } : {}),
      concurrency,
      ...(allotted === undefined ? {} : { allotted }),
    };
  }

  /** Shards that were being started when somebody asked for other lanes, or resumed the run, have not heard of it. */
  private hasChanged(): boolean {
    const { concurrency, paused } = this.standing.asked();
    const { dealt } = this;
    return concurrency !== dealt.concurrency || paused !== dealt.paused;
  }

  /** Those that are being started hear of their share when they have been. */
  protected override passOn(): void {
    this.beginsToHandOver();
    for (const shard of this.shards.atWork()) this.control(shard);
  }

  /** Whether its history has just grown long. */
  private beginsToHandOver(): boolean {
    if (this.handsOver || !this.isLong()) return false;
    this.handsOver = true;
    return true;
  }

  /** What a shard has not heard may have been lost; and where it waits for more, what another one gave back. */
  private answer(shard: number, waits: boolean): void {
    for (const one of this.shards.atWork()) {
      if (one === shard) this.control(one);
      else if (waits) this.control(one, true);
    }
  }

  /** Tells a shard all that is asked of it. */
  private control(shard: number, asks = false): void {
    const share = dealConcurrency(this.standing.concurrency, this.shards.going()).get(shard) ?? 0;
    const state = { ...this.stateFor(shard, share), ...(asks ? { asks } : {}) };
    this.shards.tell(shard, (handle) => tell(handle, controlSignal, state));
  }

  protected override show(): void {
    setCurrentDetails(progressMarkdown(this.progress(), this.metrics));
  }
}
