import {
  ApplicationFailure,
  type ChildWorkflowHandle,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { Metrics } from '../contracts/results.js';
import type { ControlState, Progress, RunPlan, ShardReport, ShardResult, Totals } from '../contracts/run.js';
import { BudgetLedger, hasCallLimits } from '../runtime/budget.js';
import { dealConcurrency } from '../runtime/deal.js';
import { accuracyOf, addTotals, noTotals, totalsOf } from '../runtime/totals.js';
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
  private ledger: BudgetLedger | null = null;
  /** Shards that are being started. */
  private starting: number[] = [];
  private readonly working = new Map<number, ShardHandle>();
  private readonly ids: string[] = [];
  private readonly totals = new Map<number, Totals>();
  private readonly wishes = new Map<number, number>();
  private metrics: Metrics | null = null;

  constructor(private readonly workflowId: string) {
    super('run');
  }

  begin(plan: RunPlan): void {
    // Asked for before anybody could know that the samples go one by one.
    if (plan.memory_scope === 'run') this.standing.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    if (hasCallLimits(plan.limits)) {
      this.ledger = new BudgetLedger(plan.limits, {
        lm_calls: plan.kept.lm_calls,
        tokens: plan.kept.input_tokens + plan.kept.output_tokens,
        cost_usd: plan.kept.cost_usd,
      });
    }
    this.showPhase();
  }

  joined(shard: number, handle: ShardHandle): void {
    this.starting = this.starting.filter((other) => other !== shard);
    this.working.set(shard, handle);
    this.ids.push(handle.workflowId);
    // Whatever was asked for while it was being started.
    if (this.standing.isHeld() || this.hasChanged()) this.passOn();
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
    this.totals.set(report.shard, report.totals);
    this.settle(report.shard, report.totals);
    if (report.fatal !== undefined && !this.standing.hasFailed()) {
      this.standing.fail(report.fatal);
      this.passOn();
    }
    if (report.wants !== undefined) this.wishes.set(report.shard, report.wants);
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
    return new Map(shares.map(([shard, share]) => [shard, this.stateFor(share)]));
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
    this.wishes.delete(shard);
    const totals = this.totals.get(shard);
    if (totals !== undefined) this.settle(shard, totals);
    this.ledger?.release(shard);
    if (this.working.size > 0) this.passOn();
    this.grantWishes();
    this.show();
  }

  private settle(shard: number, totals: Totals): void {
    this.ledger?.settle(shard, {
      lm_calls: totals.lm_calls,
      tokens: totals.input_tokens + totals.output_tokens,
      cost_usd: totals.cost_usd,
    });
  }

  private grantWishes(): void {
    if (this.ledger === null) return;
    for (const [shard, wanted] of this.wishes) {
      const calls = this.ledger.grant(shard, wanted);
      if (calls === 0) continue;
      this.wishes.delete(shard);
      this.tell(shard, (handle) => handle.signal(grantSignal, calls));
    }
    const reached = this.wishes.size > 0 ? this.ledger.exhausted() : null;
    if (reached !== null) this.exhaust(reached);
  }

  private stateFor(concurrency: number): ControlState {
    const { paused, stopping } = this.standing.asked();
    return { paused, stopping, exhausted: this.standing.isOver(), concurrency };
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
    const shards = [...this.working.keys(), ...this.starting];
    const shares = dealConcurrency(this.standing.concurrency, shards);
    for (const [shard, share] of shares) {
      this.tell(shard, (handle) => handle.signal(controlSignal, this.stateFor(share)));
    }
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
