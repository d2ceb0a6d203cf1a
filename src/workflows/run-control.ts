import {
  ApplicationFailure,
  type ChildWorkflowHandle,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { Allotment } from '../contracts/allotment.js';
import type { Metrics } from '../contracts/results.js';
import type { ControlState, Progress, RunPlan, ShardReport, ShardResult, Totals } from '../contracts/run.js';
import { Allotments } from '../runtime/allotments.js';
import { hasCallLimits, reachedLimit } from '../runtime/budget.js';
import { dealConcurrency } from '../runtime/deal.js';
import { isNewer } from '../runtime/newest.js';
import { accuracyOf, addTotals, noTotals, spendingOfTotals, totalsOf } from '../runtime/totals.js';
import { Wishes } from '../runtime/wishes.js';
import type { Outcome } from './conclude.js';
import { ExperimentControl } from './experiment-control.js';
import { controlSignal, grantSignal } from './messages.js';
import { progressMarkdown } from './progress-markdown.js';
import type { shard as shardWorkflow } from './shard.js';

type ShardHandle = ChildWorkflowHandle<typeof shardWorkflow>;

const MOST_LANES = 10_000;

/** A run's state: what its shards report, what people ask for, what is left of its budget. */
export class RunControl extends ExperimentControl<RunPlan> {
  private unfinished = false;
  /** What the shards were started with. */
  private dealt = { concurrency: 0, paused: false };
  private allotments: Allotments | null = null;
  /** In the place of allotments, in a run that began before there were any. */
  private wishes: Wishes | null = null;
  /** Shards that are being started. */
  private starting: number[] = [];
  private readonly working = new Map<number, ShardHandle>();
  private readonly ids: string[] = [];
  private readonly totals = new Map<number, Totals>();
  /** What each shard was allotted when it was started. */
  private readonly opened = new Map<number, Allotment | undefined>();
  private readonly ended = new Set<number>();
  /** The newest report of each shard. */
  private readonly reports = new Map<number, ShardReport>();
  /** Messages that a shard was sent. */
  private readonly versions = new Map<number, number>();
  private metrics: Metrics | null = null;

  constructor(private readonly workflowId: string) {
    super('run');
  }

  begin(plan: RunPlan): void {
    // Asked for before anybody could know that the samples go one by one.
    if (plan.memory_scope === 'run') this.standing.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    if (hasCallLimits(plan.limits)) {
      const shards = Array.from({ length: plan.shards }, (_, shard) => shard);
      if (patched('allotments')) this.allotments = Allotments.begin(plan.limits, plan.kept, shards);
      else this.wishes = new Wishes(plan.limits, plan.kept);
    }
    this.checkLimits();
    this.showPhase();
  }

  joined(shard: number, handle: ShardHandle): void {
    this.starting = this.starting.filter((other) => other !== shard);
    this.working.set(shard, handle);
    this.ids.push(handle.workflowId);
    // Whatever was asked for, and what it was allotted, while it was being started.
    if (this.standing.isHeld() || this.hasChanged()) this.passOn();
    else if (this.allotments?.of(shard) !== this.opened.get(shard)) this.control(shard);
  }

  /** A shard has ended; the others take over its share of the lanes. */
  left(shard: number, result: ShardResult): void {
    this.totals.set(shard, result.totals);
    if (!result.finished) this.unfinished = true;
    if (result.fatal !== null) this.standing.fail(result.fatal);
    this.leave(shard);
  }

  /** A shard failed or was terminated; the run cannot be whole any more. */
  broke(shard: number, message: string): void {
    this.unfinished = true;
    this.standing.fail(`shard ${shard}: ${message}`);
    this.leave(shard);
  }

  receive(report: ShardReport): void {
    const { shard, totals, claim, again = false, wants, fatal } = report;
    // What a shard says when it ends is its last word, whatever arrives later.
    if (this.ended.has(shard) || !isNewer(report, this.reports.get(shard))) return;
    this.reports.set(shard, report);
    this.totals.set(shard, totals);
    if (fatal !== undefined && !this.standing.hasFailed()) {
      this.standing.fail(fatal);
      this.passOn();
    }
    const told = claim === undefined ? [] : (this.allotments?.hear(shard, claim) ?? []);
    this.checkLimits();
    for (const one of told) this.control(one);
    if (again) this.answer(shard, (claim?.wanted ?? 0) > 0);
    this.wishes?.hear(shard, totals, wants);
    this.grantWishes();
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

  /** What each shard is started with. */
  deal(shards: readonly number[]): Map<number, ControlState> {
    this.dealt = this.standing.asked();
    this.starting = [...shards];
    const shares = [...dealConcurrency(this.dealt.concurrency, shards)];
    for (const [shard, share] of shares) {
      this.allotments?.open(shard, share);
      this.opened.set(shard, this.allotments?.of(shard));
    }
    return new Map(shares.map(([shard, share]) => [shard, this.stateFor(shard, share)]));
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
      shards: [...this.ids],
      artifacts: plan?.artifacts ?? '',
      simulated: plan?.simulated ?? false,
      message: this.standing.message,
    };
  }

  private sum(): Totals {
    return addTotals([this.plan?.kept ?? noTotals(), ...this.totals.values()]);
  }

  private leave(shard: number): void {
    this.working.delete(shard);
    this.ended.add(shard);
    const totals = this.totals.get(shard);
    this.allotments?.end(shard, totals ?? noTotals());
    this.wishes?.end(shard, totals);
    if (this.working.size > 0) this.passOn();
    this.checkLimits();
    this.grantWishes();
    this.show();
  }

  private checkLimits(): void {
    if (this.plan === undefined || this.allotments?.isExhausted() !== true || this.standing.isExhausted())
      return;
    const spent = spendingOfTotals(this.sum());
    this.exhaust(reachedLimit(this.plan.limits, spent) ?? 'limits: nothing is left to spend');
  }

  private grantWishes(): void {
    if (this.wishes === null) return;
    for (const [shard, calls] of this.wishes.grants()) {
      this.tell(shard, (handle) => handle.signal(grantSignal, calls));
    }
    const reached = this.wishes.exhausted();
    if (reached !== null) this.exhaust(reached);
  }

  private stateFor(shard: number, concurrency: number): ControlState {
    const { paused, stopping } = this.standing.asked();
    const version = (this.versions.get(shard) ?? 0) + 1;
    this.versions.set(shard, version);
    const allotted = this.allotments?.of(shard);
    return {
      version,
      paused,
      stopping,
      exhausted: this.standing.isOver(),
      concurrency,
      ...(allotted === undefined ? {} : { allotted }),
    };
  }

  /** Shards that were being started when somebody asked for other lanes, or resumed the run, have not heard of it. */
  private hasChanged(): boolean {
    const { concurrency, paused } = this.standing.asked();
    const { dealt } = this;
    const isAsBefore = concurrency === dealt.concurrency && paused === dealt.paused;
    return !isAsBefore && patched('asked-while-shards-were-started');
  }

  /** Those that are being started hear of their share when they have been. */
  protected override passOn(): void {
    for (const shard of this.working.keys()) this.control(shard);
  }

  /** What a shard has not heard may have been lost; and where it waits for more, what another one gave back. */
  private answer(shard: number, waits: boolean): void {
    for (const one of this.working.keys()) {
      if (one === shard) this.control(one);
      else if (waits) this.control(one, true);
    }
  }

  /** Tells a shard all that is asked of it. */
  private control(shard: number, asks = false): void {
    const shards = [...this.working.keys(), ...this.starting];
    const share = dealConcurrency(this.standing.concurrency, shards).get(shard) ?? 0;
    const state = { ...this.stateFor(shard, share), ...(asks ? { asks } : {}) };
    this.tell(shard, (handle) => handle.signal(controlSignal, state));
  }

  /** A shard that has just ended cannot be told anything, and need not. */
  private tell(shard: number, send: (handle: ShardHandle) => Promise<void>): void {
    const handle = this.working.get(shard);
    if (handle !== undefined) send(handle).catch(() => undefined);
  }

  protected override show(): void {
    setCurrentDetails(progressMarkdown(this.progress(), this.metrics));
  }
}
