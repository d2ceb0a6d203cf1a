import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { createAgent } from '../agents/registry.js';
import type { GeneratedReply } from '../contracts/activities.js';
import type { AgentRequest } from '../contracts/agent.js';
import type { CallIdentity } from '../contracts/language-model.js';
import type { EpisodeRecord } from '../contracts/results.js';
import type { AwaitedStep, ControlState, ShardInput, ShardReport, Totals } from '../contracts/run.js';
import { buildMemory } from '../memory/factory.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import { Allowance } from '../runtime/allowance.js';
import { hasCallLimits } from '../runtime/budget.js';
import { reportInterval } from '../runtime/deal.js';
import { Lane } from '../runtime/lane.js';
import { LanePool } from '../runtime/lane-pool.js';
import { type LaneState, newLane } from '../runtime/lane-state.js';
import { CallRefusedError, type LanePorts } from '../runtime/ports.js';
import { bookEpisode, noTotals, standingOf } from '../runtime/totals.js';
import { EnvironmentGateway } from './environment-gateway.js';
import { describeError, fatalMessage, isInterruption, orInvalidInput } from './failures.js';
import { reportSignal } from './messages.js';
import { PartWriter } from './part-writer.js';
import { artifacts, languageModel, modelCallOptions } from './proxies.js';
import { modelQueues } from './sinks.js';

/** Five events of history each time, so not often. */
const QUEUE_REMINDER = '15s';

/** One execution of a shard: its lanes, its control state, its totals. */
export class ShardSession {
  readonly totals: Totals;
  finished = false;
  /** Why no further call can succeed. */
  fatal: string | null = null;
  private controlState: ControlState;
  private next: number;
  private carriedLanes: LaneState[];
  private suspended: LaneState[] = [];
  /** This execution's history is long: lanes hand back their state at their next step. */
  private handingOver = false;
  private lastReport: number;
  private readonly startedAt: number;
  private readonly allowance: Allowance | null;
  private readonly pool: LanePool<LaneState>;
  private readonly environment: EnvironmentGateway;
  private readonly writer: PartWriter;
  private initialMemory: MemorySnapshot | null = null;

  constructor(
    private readonly input: ShardInput,
    private readonly parent: string,
  ) {
    const { plan, shard, carried } = input;
    this.totals = carried?.totals ?? noTotals();
    this.controlState = input.control;
    this.next = carried?.next ?? shard;
    this.carriedLanes = carried?.lanes ?? [];
    this.startedAt = workflowInfo().startTime.getTime();
    this.lastReport = Date.now();
    this.environment = new EnvironmentGateway(plan);
    this.writer = new PartWriter(plan, shard, carried?.sequence ?? 0);
    this.allowance = hasCallLimits(plan.limits)
      ? new Allowance(
          carried?.allowance ?? 0,
          (wants) => this.report({ wants }),
          () => this.controlState.concurrency,
        )
      : null;
    this.pool = new LanePool(
      input.control.concurrency,
      () => this.nextLane(),
      (lane) => this.runLane(lane),
    );
    if (input.control.exhausted) this.allowance?.close();
    this.useModelQueue();
  }

  async run(): Promise<void> {
    const { plan } = this.input;
    if (plan.load_memory === 'shared') {
      this.initialMemory = (await artifacts.loadMemory({ run: plan.run })) as MemorySnapshot | null;
    }
    await this.withModelQueue(() => this.pool.run());
    this.finished = this.suspended.length === 0 && this.carriedLanes.length === 0 && this.next >= plan.slots;
  }

  private useModelQueue(): void {
    const queue = this.input.plan.model_queue;
    if (queue !== null) modelQueues.use(queue.name, queue.requests_per_second);
  }

  /**
   * Names the model's queue again from time to time. Where every worker that polled it has died, all calls wait on
   * it and nothing else would bring this workflow, which knows its name, to another worker.
   */
  private async withModelQueue(work: () => Promise<void>): Promise<void> {
    if (this.input.plan.model_queue === null) return work();
    const reminding = new CancellationScope();
    reminding
      .run(async () => {
        for (;;) {
          await sleep(QUEUE_REMINDER);
          this.useModelQueue();
        }
      })
      .catch(() => undefined);
    try {
      await work();
    } finally {
      reminding.cancel();
    }
  }

  control(state: ControlState): void {
    this.controlState = state;
    if (state.exhausted) this.allowance?.close();
    // A shard without a share ends all the same.
    this.pool.setSize(this.mustEnd() ? Math.max(state.concurrency, 1) : state.concurrency);
  }

  grant(calls: number): void {
    this.allowance?.grant(calls);
  }

  /** Whether the lanes go on in another execution. */
  carriesOn(): boolean {
    return !this.finished && this.handingOver && !this.mustEnd();
  }

  carriedInput(): ShardInput {
    return {
      ...this.input,
      control: this.controlState,
      carried: {
        next: this.next,
        lanes: [...this.suspended, ...this.carriedLanes],
        sequence: this.writer.sequence,
        totals: this.totals,
        allowance: this.allowance?.remaining ?? 0,
      },
    };
  }

  async flush(): Promise<void> {
    // A lane that the run's end cut off leaves its memory as well.
    if (!this.carriesOn()) for (const lane of this.suspended) this.keepMemory(lane);
    await this.writer.flush();
  }

  private mustEnd(): boolean {
    return this.controlState.stopping || this.controlState.exhausted || this.fatal !== null;
  }

  private nextLane(): LaneState | undefined {
    if (this.handingOver || this.mustEnd()) return undefined;
    const carried = this.carriedLanes.shift();
    if (carried !== undefined) return carried;
    const { plan } = this.input;
    const slot = this.next;
    if (slot >= plan.slots) return undefined;
    if (plan.memory_scope === 'run') {
      this.next = plan.slots;
      return newLane(0, plan.slots, this.initialMemory);
    }
    this.next += plan.shards;
    return newLane(slot, slot + 1, this.initialMemory);
  }

  private async runLane(state: LaneState): Promise<void> {
    const { run, load_memory } = this.input.plan;
    const begins = state.memory === null && state.last_sample === undefined;
    if (begins && load_memory === 'per_sample') {
      state.memory = (await artifacts.loadMemory({ run, slot: state.slot })) as MemorySnapshot | null;
    }
    const lane = new Lane(
      state,
      this.ports((episode) => {
        const before = state.booked?.index === episode.index ? state.booked.standing : undefined;
        state.booked = { index: episode.index, standing: standingOf(episode) };
        bookEpisode(this.totals, state.booked.standing, before);
      }),
    );
    try {
      const outcome = await lane.run();
      if (outcome === 'suspended') this.suspended.push(lane.snapshot());
      else this.keepMemory(lane.snapshot());
    } catch (error) {
      const fatal = fatalMessage(error);
      if (fatal === null) throw error;
      this.suspended.push(lane.snapshot());
      this.fatal ??= fatal;
      this.report({ fatal });
    }
  }

  /** A memory that samples share is written when its lane ends; a sample's own is made from its rows. */
  private keepMemory(lane: LaneState): void {
    if (this.input.plan.memory_scope !== 'run' || lane.memory === null) return;
    const sample = lane.sample ?? lane.last_sample;
    if (sample === undefined) return;
    this.writer.setMemory({ index: sample.index, sample_id: sample.id, memory: lane.memory });
  }

  private ports(book: (episode: EpisodeRecord) => void): LanePorts {
    const { plan } = this.input;
    return {
      rules: plan.rules,
      mayProceed: (boundary) => this.mayProceed(boundary),
      openSample: (slot, trial) => this.environment.open(slot, trial),
      step: (sample, state, action) => this.environment.step(sample, state, action),
      generate: (call, request, step) => this.generate(call, request, step),
      createAgent: (memory, model) =>
        orInvalidInput(() => createAgent({ config: plan.agent, memory, languageModel: model })),
      createMemory: (saved) => orInvalidInput(() => buildMemory(plan.memory, saved)),
      record: (episode) => {
        book(episode);
        this.writer.add(episode);
        this.reportWhenDue();
      },
      now: () => Date.now(),
      isInterruption,
      describeError,
    };
  }

  private async mayProceed(boundary: 'episode' | 'step'): Promise<boolean> {
    if (this.controlState.paused) await condition(() => !this.controlState.paused || this.mustEnd());
    if (this.controlState.exhausted || this.fatal !== null) return false;
    if (this.controlState.stopping && boundary === 'episode') return false;
    if (!this.handingOver && workflowInfo().continueAsNewSuggested) this.handingOver = true;
    return !this.handingOver;
  }

  private async generate(
    call: CallIdentity,
    request: AgentRequest,
    step: AwaitedStep | undefined,
  ): Promise<GeneratedReply> {
    const { plan } = this.input;
    if (this.controlState.paused) await condition(() => !this.controlState.paused || this.mustEnd());
    const allowed = this.allowance === null ? !this.controlState.exhausted : await this.allowance.take();
    if (!allowed || this.fatal !== null) throw new CallRefusedError();
    const summary = `${call.sample_id} · trial ${call.trial + 1} · ${call.purpose}`;
    const { purpose: _purpose, ...rest } = request;
    const reply = await languageModel.generate
      .executeWithOptions(modelCallOptions(plan, summary), [
        { run: plan.run, call, ...rest, ...(step === undefined ? {} : { step }) },
      ])
      .catch((error: unknown) => {
        // Its lease would be missing for good, and lanes that wait for leave would wait for ever.
        this.allowance?.giveBack();
        throw error;
      });
    this.totals.lm_calls += 1;
    this.totals.lm_calls_repeated += reply.repeated ?? 0;
    this.totals.input_tokens += reply.usage?.input_tokens ?? 0;
    this.totals.output_tokens += reply.usage?.output_tokens ?? 0;
    this.totals.cost_usd =
      this.totals.cost_usd === null || reply.cost_usd === undefined
        ? null
        : this.totals.cost_usd + reply.cost_usd;
    this.allowance?.settled();
    return reply;
  }

  private reportWhenDue(): void {
    const now = Date.now();
    if (now - this.lastReport >= reportInterval(now - this.startedAt)) this.report({});
  }

  /** Lanes do not wait for it, and a run that is gone is no reason to fail. */
  private report(extra: Pick<ShardReport, 'wants' | 'fatal'>): void {
    this.lastReport = Date.now();
    const report: ShardReport = { shard: this.input.shard, totals: { ...this.totals }, ...extra };
    getExternalWorkflowHandle(this.parent)
      .signal(reportSignal, report)
      .catch(() => undefined);
  }
}
