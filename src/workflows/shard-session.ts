import { CancellationScope, condition, isCancellation, log, workflowInfo } from '@temporalio/workflow';
import { AgentTurns, type IdleTurn } from '../agents/agent-turns.js';
import { hearUnawaited } from '../agents/promises.js';
import { boundRounds } from '../agents/rounds.js';
import type { GeneratedReply } from '../contracts/activities.js';
import type { AgentRequest, CodeRequest } from '../contracts/agent.js';
import type { ExecutionIdentity, ExecutionResult } from '../contracts/execution.js';
import type { CallIdentity } from '../contracts/language-model.js';
import type { EpisodeRecord } from '../contracts/results.js';
import type { AwaitedStep, ControlState, ShardCarried, ShardInput, Totals } from '../contracts/run.js';
import { buildMemory } from '../memory/factory.js';
import type { MemoryJournal, MemorySnapshot } from '../memory/memory-module.js';
import { isJournaled } from '../memory/saved.js';
import { amountsOf } from '../runtime/amounts.js';
import { hasCallLimits } from '../runtime/budget.js';
import type { CallGate } from '../runtime/call-gate.js';
import { Lane } from '../runtime/lane.js';
import { LanePool } from '../runtime/lane-pool.js';
import type { LaneState } from '../runtime/lane-state.js';
import { CallRefusedError, type LanePorts } from '../runtime/ports.js';
import {
  bookCall,
  bookEmbeddings,
  bookEpisode,
  bookUnkept,
  noTotals,
  spendingOfTotals,
  standingOf,
} from '../runtime/totals.js';
import { EnvironmentGateway } from './environment-gateway.js';
import { describeError, fatalMessage, isInterruption, orInvalidInput } from './failures.js';
import { LaneJournal } from './lane-journal.js';
import { LaneQueue } from './lane-queue.js';
import { madeAgent, ownFile } from './made-agent.js';
import { PartWriter } from './part-writer.js';
import { artifacts, executionOptions, executions, languageModel, modelCallOptions } from './proxies.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { openGate } from './shard-leave.js';
import { ShardReports } from './shard-reports.js';
import { endStuckTurns } from './stuck-agents.js';

/** One execution of a shard: its lanes, its control state, its totals. */
export class ShardSession {
  readonly totals: Totals;
  finished = false;
  /** Why no further call can succeed. */
  fatal: string | null = null;
  private controlState: ControlState;
  private readonly lanes: LaneQueue;
  /** This execution's history is long, or the run's: lanes hand back their state at their next step. */
  private handingOver = false;
  /** null where the run has no limits. */
  private readonly leave: CallGate | null;
  private readonly reports: ShardReports;
  private readonly pool: LanePool<LaneState>;
  private readonly environment: EnvironmentGateway;
  private readonly writer: PartWriter;
  private initialMemory: MemorySnapshot | null = null;
  private readonly idleTurns = new Set<IdleTurn>();
  /** Whether a user's agent that would never come to an end is ended. */
  private readonly endsAgents: boolean;

  constructor(
    private readonly input: ShardInput,
    parent: string,
  ) {
    const { plan, shard, carried } = input;
    this.totals = carried?.totals ?? noTotals();
    this.controlState = input.control;
    this.lanes = new LaneQueue(plan, carried?.next ?? shard, carried?.lanes ?? []);
    this.handingOver = input.control.hands_over ?? false;
    this.reports = new ShardReports(
      {
        shard,
        run: parent,
        startedAt: workflowInfo().startTime.getTime(),
        totals: this.totals,
        budget: () => this.leave?.budget ?? null,
        lanes: () => this.controlState.concurrency,
        told: () => this.controlState.version,
        left: () => this.leaveRun(),
      },
      carried?.reports ?? 0,
    );
    this.environment = new EnvironmentGateway(plan);
    this.writer = new PartWriter(plan, shard, carried?.sequence ?? 0);
    this.leave = openGate(input, {
      spent: () => amountsOf(spendingOfTotals(this.totals)),
      changed: () => this.reports.claimWhenDue(),
    });
    this.pool = new LanePool(
      input.control.concurrency,
      () => this.nextLane(),
      (lane) => this.runLane(lane),
      () => this.leave?.idle(),
    );
    if (input.control.exhausted) this.leave?.close();
    this.endsAgents = ownFile(plan) !== undefined;
    boundRounds(() => this.endsAgents);
    hearUnawaited((error) =>
      log.warn(`nothing awaited what was rejected: ${describeError(error, ownFile(plan)).message}`),
    );
  }

  async run(): Promise<void> {
    const { plan } = this.input;
    if (plan.load_memory === 'shared') {
      this.initialMemory = (await artifacts.loadMemory({ run: plan.run })) as MemorySnapshot | null;
    }
    CancellationScope.current().cancelRequested.catch((error: unknown) => this.cancel(error));
    // It ends with the workflow.
    if (this.endsAgents) endStuckTurns(this.idleTurns).catch(() => undefined);
    await this.pool.run();
    this.finished = this.lanes.isDone();
  }

  control(state: ControlState): void {
    if (state.version <= this.controlState.version) return;
    this.controlState = state;
    if (state.allotted !== undefined) this.leave?.hear(state.allotted);
    if (state.exhausted) this.leave?.close();
    if (state.asks) this.reports.answer();
    if (state.hands_over) this.handingOver = true;
    // A shard without a share ends all the same.
    const ends = this.mustEnd() || state.hands_over === true;
    this.pool.setSize(ends ? Math.max(state.concurrency, 1) : state.concurrency);
  }

  /** Whether the lanes go on in another execution. */
  carriesOn(): boolean {
    if (this.finished || !this.handingOver || this.isOver()) return false;
    return !this.controlState.stopping || this.endsEpisodes();
  }

  /** Whether that is another execution of the run. */
  handsOver(): boolean {
    return this.controlState.hands_over === true;
  }

  carried(): ShardCarried {
    return {
      next: this.lanes.next,
      lanes: this.lanes.left(),
      sequence: this.writer.sequence,
      totals: this.totals,
      ...(this.leave === null ? {} : { budget: this.leave.budget }),
      reports: this.reports.count,
    };
  }

  /** What another execution of the shard begins with. */
  carriedInput(): ShardInput {
    return { ...this.input, control: this.controlState, carried: this.carried() };
  }

  /** @param ends whether the lanes leave their memories: those that the run's end cuts off, and while it may yet be cancelled. */
  async flush(ends = !this.carriesOn() || this.handsOver()): Promise<void> {
    if (ends) for (const lane of this.lanes.left()) this.keepMemory(lane);
    await this.writer.flush();
  }

  /**
   * Neither a shard without a share nor a lane that waits for leave to call hears of it by itself, and one that has just
   * been answered may be about to wait.
   */
  private cancel(error: unknown): void {
    this.pool.fail(error);
    this.leave?.close();
  }

  /** The run has ended without this shard: nothing further is asked, since nobody would hear of it. */
  private leaveRun(): void {
    const version = this.controlState.version + 1;
    this.control({ ...this.controlState, version, exhausted: true });
  }

  private mustEnd(): boolean {
    return this.controlState.stopping || this.isOver();
  }

  private isOver(): boolean {
    return this.controlState.exhausted || this.fatal !== null;
  }

  /** Whether lanes are left whose episodes a stop lets end. */
  private endsEpisodes(): boolean {
    return this.lanes.isInEpisode();
  }

  private nextLane(): LaneState | undefined {
    if (this.handingOver || this.isOver()) return undefined;
    if (!this.controlState.stopping) return this.lanes.take(this.initialMemory);
    return this.endsEpisodes() ? this.lanes.takeBegun() : undefined;
  }

  private async runLane(state: LaneState): Promise<void> {
    const { run, load_memory } = this.input.plan;
    const begins = state.memory === null && state.last_sample === undefined;
    if (begins && load_memory === 'per_sample') {
      state.memory = (await artifacts.loadMemory({ run, slot: state.slot })) as MemorySnapshot | null;
    }
    const journal = new LaneJournal(
      this.input.plan,
      state.from,
      (embeddings) => bookEmbeddings(this.totals, embeddings),
      state.journal,
    );
    const lane = new Lane(
      state,
      this.ports(journal, (episode) => {
        const before = state.booked?.index === episode.index ? state.booked.standing : undefined;
        state.booked = { index: episode.index, standing: standingOf(episode) };
        bookEpisode(this.totals, state.booked.standing, before);
      }),
    );
    const ended = (): LaneState => this.withJournal(lane.snapshot(), journal);
    try {
      const outcome = await lane.run();
      await journal.keep();
      if (outcome === 'suspended') this.lanes.handBack(ended());
      else this.keepMemory(ended());
    } catch (error) {
      const fatal = fatalMessage(error);
      if (fatal === null) {
        if (isCancellation(error)) {
          await CancellationScope.nonCancellable(() => journal.keep()).catch(() => undefined);
          this.lanes.handBack(ended());
        }
        throw error;
      }
      // What it has learned is saved all the same; a store that refuses is the same fatal problem.
      await journal.keep().catch(() => undefined);
      this.lanes.handBack(ended());
      this.fatal ??= fatal;
      this.reports.send({ fatal });
    }
  }

  /** The state of a lane whose memory is journaled holds what is not written down yet. */
  private withJournal(lane: LaneState, journal: LaneJournal): LaneState {
    return isJournaled(this.input.plan.memory._type) ? { ...lane, journal: journal.state() } : lane;
  }

  /**
   * A memory that samples share is written when its lane ends, and so are a journaled one and that of a user's agent. A
   * history of a built-in one is made from rows.
   */
  private keepMemory(lane: LaneState): void {
    const { plan } = this.input;
    const sample = lane.sample ?? lane.last_sample;
    if (lane.memory === null || sample === undefined) return;
    const end = { index: sample.index, sample_id: sample.id, memory: lane.memory };
    if (plan.memory_scope === 'run') this.writer.setMemory(end);
    else if (lane.journal !== undefined)
      this.writer.addSampleMemory({ ...end, entries: lane.journal.entries });
    else if (this.endsAgents) this.writer.addSampleMemory(end);
  }

  private ports(journal: LaneJournal, book: (episode: EpisodeRecord) => void): LanePorts {
    const { plan } = this.input;
    const turns = new AgentTurns(this.idleTurns);
    const searched: MemoryJournal = {
      append: (...entry) => journal.append(...entry),
      search: (...query) => turns.meanwhile(journal.search(...query)),
    };
    return {
      rules: plan.rules,
      mayProceed: (boundary) => this.mayProceed(boundary),
      openSample: (slot) => this.environment.open(slot),
      step: (sample, state, action) => this.environment.step(sample, state, action),
      generate: (...call) => turns.meanwhile(this.generate(...call)),
      execute: (...program) => turns.meanwhile(this.execute(...program)),
      createAgent: (tools) => madeAgent({ config: plan.agent, ...tools }, this.endsAgents ? turns : null),
      createMemory: (saved) => orInvalidInput(() => buildMemory(plan.memory, saved, searched)),
      record: (episode) => {
        book(episode);
        this.writer.add(episode);
        this.reports.sendWhenDue();
        return journal.keepWhenLong();
      },
      now: () => Date.now(),
      isInterruption,
      describeError: (error) => describeError(error, ownFile(plan)),
    };
  }

  private async mayProceed(boundary: 'episode' | 'step'): Promise<boolean> {
    if (this.controlState.paused)
      await condition(() => !this.controlState.paused || this.mustEnd() || this.handsOver());
    if (this.isOver()) return false;
    if (this.controlState.stopping && boundary === 'episode') return false;
    if (workflowInfo().continueAsNewSuggested) this.handingOver = true;
    return !this.handingOver;
  }

  private async generate(
    call: CallIdentity,
    request: AgentRequest,
    step: AwaitedStep | undefined,
  ): Promise<GeneratedReply> {
    const { plan } = this.input;
    // Here, and not with the leave: that would begin the call a moment later than in runs in flight.
    if (this.controlState.paused) await this.untilNotPaused();
    const summary = this.summaryOf(call, call.purpose);
    const { purpose: _purpose, ...rest } = request;
    return requestUntilAnswered(
      {
        isLimited: hasCallLimits(plan.limits),
        leave: () => this.takeLeave(),
        answered: (reply) => {
          if (reply.counted) bookUnkept(this.totals, reply.unkept ?? null);
          else bookCall(this.totals, reply);
          this.leave?.ended();
        },
        failed: ({ unkept }) => {
          bookUnkept(this.totals, unkept ?? null);
          this.leave?.ended();
        },
      },
      (before) => {
        if (this.fatal !== null) throw new CallRefusedError();
        return languageModel.generate.executeWithOptions(modelCallOptions(plan, summary), [
          { run: plan.run, call, ...rest, ...(step === undefined ? {} : { step }), ...before },
        ]);
      },
    );
  }

  /** What the Temporal UI shows beside an activity: a trial has a name where there are several. */
  private summaryOf(of: { sample_id: string; trial: number }, what: string): string {
    const trial = this.input.plan.rules.num_trials > 1 ? ` · trial ${of.trial + 1}` : '';
    return `${of.sample_id}${trial} · ${what}`;
  }

  /** Whether a call may begin; where that is to be waited for, once it may. */
  private takeLeave(): boolean | Promise<boolean> {
    if (this.controlState.paused) return this.untilNotPaused().then(() => this.takeLeave());
    return this.leave === null ? !this.controlState.exhausted : this.leave.take();
  }

  private untilNotPaused(): Promise<void> {
    return condition(() => !this.controlState.paused || this.mustEnd());
  }

  private async execute(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult> {
    const summary = this.summaryOf(execution, 'run code');
    return executions.executeCode.executeWithOptions(executionOptions(request.timeout_sec, summary), [
      { run: this.input.plan.run, execution, ...request },
    ]);
  }
}
