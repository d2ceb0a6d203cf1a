import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import {
  ApplicationFailure,
  type ChildWorkflowHandle,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import type { Metrics, RunStatus } from '../contracts/results.js';
import type {
  ControlState,
  Progress,
  RunPhase,
  RunPlan,
  ShardReport,
  ShardResult,
  Totals,
} from '../contracts/run.js';
import { BudgetLedger, hasCallLimits } from '../runtime/budget.js';
import { dealConcurrency } from '../runtime/deal.js';
import { accuracyOf, addTotals, noTotals } from '../runtime/totals.js';
import { controlSignal, grantSignal } from './messages.js';
import { progressMarkdown } from './progress-markdown.js';
import type { shard as shardWorkflow } from './shard.js';

type ShardHandle = ChildWorkflowHandle<typeof shardWorkflow>;

/** A run's state: what its shards report, what people ask for, what is left of its budget. */
export class RunControl {
  private plan: RunPlan | undefined;
  private phase: RunPhase = 'preparing';
  private paused = false;
  private stopping = false;
  private exhausted: string | null = null;
  private fatal: string | null = null;
  private unfinished = false;
  private concurrency = 0;
  private ledger: BudgetLedger | null = null;
  private readonly working = new Map<number, ShardHandle>();
  private readonly ids: string[] = [];
  private readonly totals = new Map<number, Totals>();
  private readonly wishes = new Map<number, number>();
  private metrics: Metrics | null = null;

  constructor(private readonly workflowId: string) {}

  begin(plan: RunPlan): void {
    this.plan = plan;
    this.concurrency = plan.concurrency;
    if (hasCallLimits(plan.limits)) {
      this.ledger = new BudgetLedger(plan.limits, {
        lm_calls: plan.kept.lm_calls,
        tokens: plan.kept.input_tokens + plan.kept.output_tokens,
        cost_usd: plan.kept.cost_usd,
      });
    }
    this.upsert({ experiment: plan.experiment, kind: 'run', model: plan.model });
    this.setPhase(this.paused ? 'paused' : this.stopping ? 'stopping' : 'running');
  }

  joined(shard: number, handle: ShardHandle): void {
    this.working.set(shard, handle);
    this.ids.push(handle.workflowId);
    // Whatever was asked for while it was being started.
    if (this.paused || this.stopping || this.exhausted !== null || this.fatal !== null) this.broadcast();
  }

  /** A shard has ended; the others take over its share of the lanes. */
  left(shard: number, result: ShardResult): void {
    this.totals.set(shard, result.totals);
    if (!result.finished) this.unfinished = true;
    if (result.fatal !== null) this.fatal ??= result.fatal;
    this.leave(shard);
  }

  /** A shard failed or was terminated; the run cannot be whole any more. */
  broke(shard: number, message: string): void {
    this.unfinished = true;
    this.fatal ??= `shard ${shard}: ${message}`;
    this.leave(shard);
  }

  receive(report: ShardReport): void {
    this.totals.set(report.shard, report.totals);
    this.settle(report.shard, report.totals);
    if (report.fatal !== undefined && this.fatal === null) {
      this.fatal = report.fatal;
      this.broadcast();
    }
    if (report.wants !== undefined) this.wishes.set(report.shard, report.wants);
    this.grantWishes();
    this.show();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (this.plan !== undefined && !this.stopping) this.setPhase(paused ? 'paused' : 'running');
    this.broadcast();
  }

  stop(): void {
    this.stopping = true;
    if (this.plan !== undefined) this.setPhase('stopping');
    this.broadcast();
  }

  exhaust(message: string): void {
    if (this.exhausted !== null) return;
    this.exhausted = message;
    this.broadcast();
  }

  setConcurrency(lanes: number): number {
    this.concurrency = lanes;
    this.broadcast();
    this.show();
    return lanes;
  }

  assertRunning(): void {
    if (this.metrics !== null || this.phase === 'writing') {
      throw ApplicationFailure.nonRetryable(`the run is ${this.phase}`);
    }
  }

  assertConcurrency(lanes: number): void {
    this.assertRunning();
    if (!Number.isInteger(lanes) || lanes < 1 || lanes > 10_000) {
      throw ApplicationFailure.nonRetryable('concurrency must be a whole number from 1 to 10000');
    }
    if (this.plan?.memory_scope === 'run') {
      throw ApplicationFailure.nonRetryable(
        'runtime.memory_scope is run: its samples share one memory and go one by one',
      );
    }
  }

  stateFor(concurrency: number): ControlState {
    return {
      paused: this.paused,
      stopping: this.stopping,
      exhausted: this.exhausted !== null || this.fatal !== null,
      concurrency,
    };
  }

  outcome(cancelled: boolean): { status: RunStatus; message: string | null } {
    if (this.fatal !== null) return { status: 'failed', message: this.fatal };
    if (cancelled) return { status: 'cancelled', message: 'the workflow was cancelled' };
    if (!this.unfinished) return { status: 'done', message: null };
    if (this.exhausted !== null) return { status: 'limit_reached', message: this.exhausted };
    return { status: 'stopped', message: 'stopped on request' };
  }

  finish(metrics: Metrics): void {
    this.metrics = metrics;
    this.setPhase(metrics.status);
  }

  setPhase(phase: RunPhase): void {
    this.phase = phase;
    this.upsert({ phase });
    this.show();
  }

  progress(): Progress {
    const { plan, metrics } = this;
    const totals = metrics === null ? this.sum() : totalsOf(metrics);
    return {
      experiment: plan?.experiment ?? this.workflowId,
      phase: this.phase,
      samples_planned: plan?.samples_planned ?? 0,
      concurrency: this.concurrency,
      totals,
      accuracy: accuracyOf(totals),
      shards: [...this.ids],
      artifacts: plan?.artifacts ?? '',
      simulated: plan?.simulated ?? false,
      message: this.fatal ?? this.exhausted,
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
    if (this.working.size > 0) this.broadcast();
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

  private broadcast(): void {
    const shares = dealConcurrency(this.concurrency, [...this.working.keys()]);
    for (const [shard, share] of shares) {
      this.tell(shard, (handle) => handle.signal(controlSignal, this.stateFor(share)));
    }
  }

  /** A shard that has just ended cannot be told anything, and need not. */
  private tell(shard: number, send: (handle: ShardHandle) => Promise<void>): void {
    const handle = this.working.get(shard);
    if (handle !== undefined) send(handle).catch(() => undefined);
  }

  private upsert(values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>): void {
    const known = this.plan?.search_attributes ?? [];
    const pairs: SearchAttributePair[] = [];
    for (const [key, value] of Object.entries(values)) {
      const name = SEARCH_ATTRIBUTES[key as keyof typeof SEARCH_ATTRIBUTES];
      // An attribute that the server does not know would fail the workflow task again and again.
      if (known.includes(name)) {
        pairs.push({ key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value });
      }
    }
    if (pairs.length > 0) upsertSearchAttributes(pairs);
  }

  private show(): void {
    setCurrentDetails(progressMarkdown(this.progress(), this.metrics));
  }
}

function totalsOf(metrics: Metrics): Totals {
  const { samples, correct, errors, episodes, lm_calls, lm_calls_repeated, usage, cost_usd } = metrics;
  return { samples, correct, errors, episodes, lm_calls, lm_calls_repeated, ...usage, cost_usd };
}
