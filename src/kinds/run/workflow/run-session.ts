import { createAgent } from '../../../agents/registry.js';
import type { AgentRequest, CodeRequest } from '../../../contracts/agent.js';
import type { AwaitedStep } from '../../../contracts/environment.js';
import type { ExecutionIdentity, ExecutionResult } from '../../../contracts/execution.js';
import type { CallIdentity, GeneratedReply } from '../../../contracts/language-model.js';
import type { EpisodeRecord } from '../../../contracts/results.js';
import type { AskedBefore } from '../../../contracts/step-cost.js';
import { buildMemory } from '../../../memory/factory.js';
import type { MemorySnapshot } from '../../../memory/memory-module.js';
import { isJournaled } from '../../../memory/saved.js';
import { hasCallLimits } from '../../../runtime/budget.js';
import { modelCallOptions, timedOptions } from '../../../workflows/activity-options.js';
import { describeError, fatalMessage, isInterruption, orInvalidInput } from '../../../workflows/failures.js';
import { requestUntilAnswered } from '../../../workflows/request-until-answered.js';
import { CancellationScope, condition, isCancellation } from '../../../workflows/sdk.js';
import { hasOwnCode, type RunPlan } from '../contracts.js';
import { Lane } from '../lane/lane.js';
import { LanePool } from '../lane/lane-pool.js';
import type { LaneState } from '../lane/lane-state.js';
import { episodeOutcome } from '../lane/totals.js';
import { artifacts, executions, languageModel } from './activities.js';
import { EnvironmentGateway } from './environment-gateway.js';
import { gradeEpisode } from './grade-episode.js';
import { HostedLane, type SessionPorts } from './hosted-lane.js';
import type { LaneAccount } from './lane-account.js';
import { LaneJournal } from './lane-journal.js';
import type { PartWriter } from './part-writer.js';

/** Source of the lanes of a session. */
export interface LaneSource {
  /** Takes the lane to run next; undefined if there is none now. @param memory of a new lane */
  take(memory: MemorySnapshot | null): LaneState | undefined;
  /** Takes a lane that is in the middle of an episode; undefined if there is none. */
  takeBegun(): LaneState | undefined;
  /** Takes back a suspended lane. */
  handBack(lane: LaneState): void;
}

/** Control of a session. */
export interface LaneControl {
  /** Number of lanes at once. */
  readonly lanes: number;
  /** Called when the number of lanes, or whether they may continue, may have changed. */
  onChange: () => void;
  isPaused(): boolean;
  /** True if an episode in progress may end, but no other may begin. */
  mustEnd(): boolean;
  /** True if no further call may be made, not even by an episode in progress. */
  isOver(): boolean;
  /** True if lanes are to be suspended at their next step. */
  handsOver(): boolean;
  /** Opens the account of a lane. */
  begins(lane: LaneState): LaneAccount;
  /** Ends the run, since nothing further can succeed. */
  fail(why: string): void;
  /** Refuses every further call. */
  close(): void;
  /** Keeps a lane between two of its episodes; absent: the history keeps it. */
  keep?(snapshot: () => LaneState): Promise<void>;
}

/** Lanes of a run that are worked on at once: all of an execution of its workflow, or those of a bundle. */
export class RunSession {
  private readonly pool: LanePool<LaneState>;
  private readonly environment: EnvironmentGateway;
  private initialMemory: MemorySnapshot | null = null;

  constructor(
    private readonly plan: RunPlan,
    private readonly control: LaneControl,
    private readonly lanes: LaneSource,
    private readonly writer: PartWriter,
  ) {
    this.environment = new EnvironmentGateway(plan);
    this.pool = new LanePool(
      control.lanes,
      () => this.nextLane(),
      (lane) => this.runLane(lane),
    );
    control.onChange = () => this.pool.setSize(control.lanes);
  }

  /** Loads what new lanes begin with. */
  async load(): Promise<void> {
    const { run, load_memory } = this.plan;
    if (load_memory !== 'shared') return;
    this.initialMemory = (await artifacts.loadMemory({ run })) as MemorySnapshot | null;
  }

  /** Runs until every lane that the source has is finished or suspended, and stores their finished work. */
  async run(): Promise<void> {
    // A lane that waits for a grant does not notice a cancellation, and one that was just answered may be about to
    // wait.
    CancellationScope.current().cancelRequested.catch((error: unknown) => {
      this.pool.fail(error);
      this.control.close();
    });
    try {
      await this.pool.run();
    } finally {
      await CancellationScope.nonCancellable(() => this.writer.flush());
    }
  }

  private nextLane(): LaneState | undefined {
    if (this.control.handsOver() || this.control.isOver()) return undefined;
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
    const account = this.control.begins(state);
    delete state.lost;
    const journal = new LaneJournal(
      this.plan,
      state.from,
      (embeddings) => account.paid(embeddings),
      state.journal,
    );
    const ports = this.ports(journal, account, (episode) => {
      const before = state.booked?.index === episode.index ? state.booked.outcome : undefined;
      state.booked = { index: episode.index, outcome: episodeOutcome(episode) };
      account.ended(state.booked.outcome, before);
    });
    const whole = ({ booked: _before, ...lane }: LaneState): LaneState => ({
      ...lane,
      ...(state.booked === undefined ? {} : { booked: state.booked }),
      // Entries of a journaled memory that are not stored.
      ...(isJournaled(this.plan.memory._type) ? { journal: journal.state() } : {}),
    });
    const mayProceed = (boundary: 'episode' | 'step', lane: (() => LaneState) | null) =>
      this.mayProceed(boundary, lane === null ? null : () => whole(lane()));
    const lane = hasOwnCode(this.plan)
      ? new HostedLane(this.plan, state, {
          ...ports,
          mayProceed: (boundary, now) => mayProceed(boundary, now === null ? null : () => now),
        })
      : this.laneHere(state, ports, mayProceed);
    const ended = (): LaneState => whole(lane.snapshot());
    try {
      const outcome = await lane.run();
      await journal.keep();
      if (outcome === 'suspended') this.lanes.handBack(ended());
      else {
        this.writer.addMemory(ended());
        this.writer.laneEnded(state);
      }
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
      account.leave();
    }
  }

  /** Creates a lane of built-in code, which runs where the session does. */
  private laneHere(
    state: LaneState,
    ports: Omit<SessionPorts, 'mayProceed'>,
    mayProceed: (boundary: 'episode' | 'step', lane: () => LaneState) => Promise<boolean>,
  ): Lane {
    const { plan } = this;
    const lane: Lane = new Lane(state, {
      ...ports,
      rules: plan.rules,
      mayProceed: (boundary) => mayProceed(boundary, () => lane.snapshot()),
      createAgent: (tools) => createAgent({ config: plan.agent, ...tools }),
      createMemory: (saved) => orInvalidInput(() => buildMemory(plan.memory, saved, ports)),
      now: () => Date.now(),
      describeError,
    });
    return lane;
  }

  private ports(
    journal: LaneJournal,
    account: LaneAccount,
    book: (episode: EpisodeRecord) => void,
  ): Omit<SessionPorts, 'mayProceed'> {
    return {
      openSample: (slot) => this.environment.open(slot),
      step: (sample, state, action) => this.environment.step(sample, state, action),
      generate: (...call) => this.generate(account, ...call),
      execute: (...program) => this.execute(...program),
      record: (episode) => {
        const store = (graded: EpisodeRecord) => {
          book(graded);
          this.writer.add(graded);
          return journal.keepWhenLong();
        };
        // An episode that no model grades is booked at once.
        return this.plan.grading === undefined ? store(episode) : this.graded(account, episode).then(store);
      },
      append: (...entry) => journal.append(...entry),
      search: (...query) => journal.search(...query),
      isInterruption,
    };
  }

  private async mayProceed(boundary: 'episode' | 'step', lane: (() => LaneState) | null): Promise<boolean> {
    const { control } = this;
    if (boundary === 'episode' && lane !== null) await control.keep?.(lane);
    if (control.isPaused())
      await condition(() => !control.isPaused() || control.mustEnd() || control.handsOver());
    if (control.isOver() || (control.mustEnd() && boundary === 'episode')) return false;
    return !control.handsOver();
  }

  /** Has the answer of an episode graded by models. */
  private graded(account: LaneAccount, episode: EpisodeRecord): Promise<EpisodeRecord> {
    return gradeEpisode(this.plan, episode, {
      request: (send) => this.request(account, send),
      paid: (embeddings) => account.paid(embeddings),
      summaryOf: (call, what) => this.summaryOf(call, what),
    });
  }

  private generate(
    account: LaneAccount,
    call: CallIdentity,
    request: AgentRequest,
    step: AwaitedStep | undefined,
  ): Promise<GeneratedReply> {
    const { plan } = this;
    const summary = this.summaryOf(call, call.purpose);
    const { purpose: _purpose, ...rest } = request;
    return this.request(account, (before) =>
      languageModel.generate.executeWithOptions(modelCallOptions(plan, summary), [
        { run: plan.run, call, ...rest, ...(step === undefined ? {} : { step }), ...before },
      ]),
    );
  }

  /** Makes a call of a model, within the limits. */
  private request<Reply extends GeneratedReply>(
    account: LaneAccount,
    send: (before: { before?: AskedBefore }) => Promise<Reply>,
  ): Promise<Reply> {
    return requestUntilAnswered(
      {
        isLimited: hasCallLimits(this.plan.limits),
        cutOff: account.cutOff,
        request: () => this.requestCall(account),
        answered: (reply) => {
          // Its other calls had not been made when the worker was lost.
          if (reply.repeated !== undefined || reply.maybe_repeated !== undefined) account.cutOff = 0;
          account.answered(reply);
        },
        failed: ({ unrecorded }) => account.failed(unrecorded ?? null),
      },
      send,
    );
  }

  /** Returns the summary of an activity in the Temporal UI: it names the trial, unless it is the only one. */
  private summaryOf(of: { sample_id: string; trial: number }, what: string): string {
    const trial = this.plan.rules.num_trials > 1 || of.trial > 0 ? ` · trial ${of.trial + 1}` : '';
    return `${of.sample_id}${trial} · ${what}`;
  }

  /** Requests a grant for one call, and waits while the run is paused. */
  private requestCall(account: LaneAccount): boolean | Promise<boolean> {
    const { control } = this;
    if (!control.isPaused()) return account.mayCall();
    return condition(() => !control.isPaused() || control.mustEnd()).then(() => this.requestCall(account));
  }

  private execute(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult> {
    const summary = this.summaryOf(execution, 'run code');
    return executions.executeCode.executeWithOptions(timedOptions(request.timeout_sec, summary), [
      { run: this.plan.run, execution, ...request },
    ]);
  }
}
