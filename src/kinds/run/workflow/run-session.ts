import type { AgentRequest, CodeRequest } from '../../../contracts/agent.js';
import type { AwaitedStep } from '../../../contracts/environment.js';
import type { ExecutionIdentity, ExecutionResult } from '../../../contracts/execution.js';
import type { CallIdentity, GeneratedReply } from '../../../contracts/language-model.js';
import type { EpisodeRecord } from '../../../contracts/results.js';
import { buildMemory } from '../../../memory/factory.js';
import type { MemoryJournal, MemorySnapshot } from '../../../memory/memory-module.js';
import { isJournaled } from '../../../memory/saved.js';
import { hasCallLimits } from '../../../runtime/budget.js';
import type { LanePorts } from '../../../runtime/ports.js';
import { AgentTurns, type IdleTurn } from '../../../user-code/agents/agent-turns.js';
import { boundRounds } from '../../../user-code/agents/rounds.js';
import { endStuckTurns } from '../../../user-code/agents/stuck-agents.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { assertNotCancelled } from '../../../workflows/continuation.js';
import { describeError, fatalMessage, isInterruption, orInvalidInput } from '../../../workflows/failures.js';
import { requestUntilAnswered } from '../../../workflows/request-until-answered.js';
import { CancellationScope, condition, isCancellation, workflowInfo } from '../../../workflows/sdk.js';
import type { RunPlan, RunWork } from '../contracts.js';
import { Lane } from '../lane/lane.js';
import { LanePool } from '../lane/lane-pool.js';
import type { LaneState } from '../lane/lane-state.js';
import { outcomeOf } from '../lane/totals.js';
import { artifacts, executions, languageModel } from './activities.js';
import { EnvironmentGateway } from './environment-gateway.js';
import { LaneJournal } from './lane-journal.js';
import { LaneQueue } from './lane-queue.js';
import { madeAgent, ownFile } from './made-agent.js';
import { PartWriter } from './part-writer.js';
import type { RunControl } from './run-control.js';

/** Lanes of one execution of a run. */
export class RunSession {
  private readonly lanes: LaneQueue;
  /** True once this execution's history is long: lanes are suspended at their next step. */
  private handingOver = false;
  private readonly pool: LanePool<LaneState>;
  private readonly environment: EnvironmentGateway;
  private readonly writer: PartWriter;
  private initialMemory: MemorySnapshot | null = null;
  private readonly idleTurns = new Set<IdleTurn>();
  /** True if the agent is a user's: then turns that would never end are ended. */
  private readonly endsAgents: boolean;

  /** @param work state of the previous execution, if this one continues it. */
  constructor(
    private readonly plan: RunPlan,
    private readonly control: RunControl,
    work: RunWork = { next: 0, lanes: [], sequence: 0 },
  ) {
    this.lanes = new LaneQueue(plan, work.next, work.lanes);
    this.environment = new EnvironmentGateway(plan);
    this.writer = new PartWriter(plan, work.sequence);
    this.pool = new LanePool(
      control.lanes,
      () => this.nextLane(),
      (lane) => this.runLane(lane),
    );
    control.onChange = () => this.pool.setSize(control.lanes);
    this.endsAgents = ownFile(plan) !== undefined;
    boundRounds(() => this.endsAgents);
  }

  /** Runs until every lane is finished or suspended. Finished work is stored, even if the run is cancelled. */
  async run(): Promise<void> {
    const { plan } = this;
    if (plan.load_memory === 'shared') {
      this.initialMemory = (await artifacts.loadMemory({ run: plan.run })) as MemorySnapshot | null;
    }
    // A lane that waits for a grant does not notice a cancellation, and one that was just answered may be about to
    // wait.
    CancellationScope.current().cancelRequested.catch((error: unknown) => {
      this.pool.fail(error);
      this.control.close();
    });
    // This promise ends with the workflow.
    if (this.endsAgents) endStuckTurns(this.idleTurns).catch(() => undefined);
    try {
      await this.pool.run();
      await this.flush(!this.isContinuing());
      if (this.isContinuing()) assertNotCancelled();
    } catch (error) {
      await CancellationScope.nonCancellable(() => this.flush(true));
      throw error;
    }
  }

  /** True if every sample was visited. */
  isDone(): boolean {
    return this.lanes.isDone();
  }

  /** True if the lanes continue in another execution. */
  isContinuing(): boolean {
    if (this.isDone() || !this.handingOver || this.control.isOver()) return false;
    return !this.control.mustEnd() || this.lanes.isInEpisode();
  }

  /** Returns the state for the next execution. */
  carried(): RunWork {
    return { next: this.lanes.next, lanes: this.lanes.left(), sequence: this.writer.sequence };
  }

  /** Writes what is left. @param ends true if cut-off lanes save their memories, too */
  private async flush(ends: boolean): Promise<void> {
    if (ends) for (const lane of this.lanes.left()) this.keepMemory(lane);
    await this.writer.flush();
  }

  private nextLane(): LaneState | undefined {
    if (this.handingOver || this.control.isOver()) return undefined;
    if (!this.control.mustEnd()) return this.lanes.take(this.initialMemory);
    // After a stop, episodes in progress may end.
    return this.lanes.takeBegun();
  }

  private async runLane(state: LaneState): Promise<void> {
    const { run, load_memory } = this.plan;
    const begins = state.memory === null && state.last_sample === undefined;
    if (begins && load_memory === 'per_sample') {
      state.memory = (await artifacts.loadMemory({ run, slot: state.slot })) as MemorySnapshot | null;
    }
    const journal = new LaneJournal(
      this.plan,
      state.from,
      (embeddings) => this.control.paid(embeddings),
      state.journal,
    );
    const lane = new Lane(
      state,
      this.ports(journal, (episode) => {
        const before = state.booked?.index === episode.index ? state.booked.outcome : undefined;
        state.booked = { index: episode.index, outcome: outcomeOf(episode) };
        this.control.ended(state.booked.outcome, before);
      }),
    );
    const leaves = this.control.begins();
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
      // The lane's memory is saved nevertheless; if the store refuses, that is the same fatal problem.
      await journal.keep().catch(() => undefined);
      this.lanes.handBack(ended());
      this.control.fail(fatal);
    } finally {
      leaves();
    }
  }

  /** Adds the unstored entries to the state of a lane with a journaled memory. */
  private withJournal(lane: LaneState, journal: LaneJournal): LaneState {
    return isJournaled(this.plan.memory._type) ? { ...lane, journal: journal.state() } : lane;
  }

  /**
   * Writes the memory of a lane that ended, if samples share it, if it is journaled, or if the agent is a user's.
   * Others are rebuilt from rows.
   */
  private keepMemory(lane: LaneState): void {
    const sample = lane.sample ?? lane.last_sample;
    if (lane.memory === null || sample === undefined) return;
    const end = { index: sample.index, sample_id: sample.id, memory: lane.memory };
    if (this.plan.memory_scope === 'run') this.writer.setMemory(end);
    else if (lane.journal !== undefined)
      this.writer.addSampleMemory({ ...end, entries: lane.journal.entries });
    else if (this.endsAgents) this.writer.addSampleMemory(end);
  }

  private ports(journal: LaneJournal, book: (episode: EpisodeRecord) => void): LanePorts {
    const { plan } = this;
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
        return journal.keepWhenLong();
      },
      now: () => Date.now(),
      isInterruption,
      describeError: (error) => describeError(error, ownFile(plan)),
    };
  }

  private async mayProceed(boundary: 'episode' | 'step'): Promise<boolean> {
    const { control } = this;
    const isLong = () => workflowInfo().continueAsNewSuggested;
    if (control.isPaused()) await condition(() => !control.isPaused() || control.mustEnd() || isLong());
    if (control.isOver() || (control.mustEnd() && boundary === 'episode')) return false;
    if (isLong()) this.handingOver = true;
    return !this.handingOver;
  }

  private generate(
    call: CallIdentity,
    request: AgentRequest,
    step: AwaitedStep | undefined,
  ): Promise<GeneratedReply> {
    const { plan, control } = this;
    const summary = this.summaryOf(call, call.purpose);
    const { purpose: _purpose, ...rest } = request;
    return requestUntilAnswered(
      {
        isLimited: hasCallLimits(plan.limits),
        request: () => this.requestCall(),
        answered: (reply) => control.answered(reply),
        failed: ({ unrecorded }) => control.failed(unrecorded ?? null),
      },
      (before) =>
        languageModel.generate.executeWithOptions(modelCallOptions(plan, summary), [
          { run: plan.run, call, ...rest, ...(step === undefined ? {} : { step }), ...before },
        ]),
    );
  }

  /** Returns the summary of an activity in the Temporal UI: it names the trial if there are several. */
  private summaryOf(of: { sample_id: string; trial: number }, what: string): string {
    const trial = this.plan.rules.num_trials > 1 ? ` · trial ${of.trial + 1}` : '';
    return `${of.sample_id}${trial} · ${what}`;
  }

  /** Requests a grant for one call, and waits while the run is paused. */
  private requestCall(): boolean | Promise<boolean> {
    const { control } = this;
    if (!control.isPaused()) return control.mayCall();
    return condition(() => !control.isPaused() || control.mustEnd()).then(() => this.requestCall());
  }

  private execute(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult> {
    const summary = this.summaryOf(execution, 'run code');
    return executions.executeCode.executeWithOptions(timedOptions(request.timeout_sec, summary), [
      { run: this.plan.run, execution, ...request },
    ]);
  }
}
