import { ExperienceSearch } from '../activities/experience-search.js';
import { initialMemory, loadedParts } from '../activities/memory-file.js';
import { beginEpisode, type MadeEnvironment, takeStep } from '../activities/take-step.js';
import type { GeneratedReply, StepAnswer } from '../contracts/activities.js';
import type { AgentRequest } from '../contracts/agent.js';
import type { PaidEmbeddings } from '../contracts/embeddings.js';
import type { Task } from '../contracts/environment.js';
import type { ExecutionRecord } from '../contracts/execution.js';
import type { Json } from '../contracts/json.js';
import type { CallIdentity, CallRecord } from '../contracts/language-model.js';
import type { EmbeddingTotals, EpisodeRecord, RunStatus } from '../contracts/results.js';
import type { AwaitedStep } from '../contracts/run.js';
import type { Unkept } from '../contracts/step-cost.js';
import { buildMemory } from '../memory/factory.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import { grownParts, isJournaled, NOTHING_SAVED, type SavedParts, savedMemory } from '../memory/saved.js';
import { addUnkept } from '../runtime/beside.js';
import { Lane } from '../runtime/lane.js';
import { LanePool } from '../runtime/lane-pool.js';
import { laneRulesOf } from '../runtime/lane-rules.js';
import { type LaneState, newLane } from '../runtime/lane-state.js';
import { CallRefusedError, type LanePorts, type OpenedSample } from '../runtime/ports.js';
import { addEmbeddings } from '../runtime/totals.js';
import { CallBudget } from './call-budget.js';
import { describeError, FatalRunError, isInterruption } from './failures.js';
import { LocalJournal } from './local-journal.js';
import { ModelCaller } from './model-caller.js';
import type { PreparedRun } from './prepare.js';
import { ProgramRunner } from './program-runner.js';
import { untilAnswered } from './until-answered.js';

/** A finished episode, its calls and its programs. */
export interface FinishedEpisode {
  episode: EpisodeRecord;
  calls: CallRecord[];
  executions: ExecutionRecord[];
}

/** Runs a prepared run's lanes in this process. Everything it finds is kept in memory. */
export class LaneLoop {
  readonly episodes: FinishedEpisode[] = [];
  /** What the shared lane ended with; null where no sample was begun, or samples have a memory each. */
  sharedMemory: MemorySnapshot | null = null;
  /** By sample index, as its newest finished episode left it. */
  readonly sampleMemories = new Map<number, MemorySnapshot>();
  readonly caller: ModelCaller;
  readonly programs: ProgramRunner;
  private readonly concurrency: number;
  private readonly budget: CallBudget;
  /** What was paid for vectors; null where nothing was. */
  embeddings: EmbeddingTotals | null = null;
  /** What was spent on requests whose reply is not kept; null where nothing was. */
  unkept: Unkept | null = null;
  private exhausted: string | null = null;
  private fatal: string | null = null;
  private next = 0;
  private unfinished = false;

  constructor(private readonly run: PreparedRun) {
    const { runtime, lm, limits, sandbox } = run.config;
    this.concurrency = runtime.memory_scope === 'run' ? 1 : runtime.concurrency;
    this.caller = new ModelCaller(lm, run.model, this.concurrency, run.prices);
    this.programs = new ProgramRunner(sandbox, run.sandbox);
    this.budget = new CallBudget(limits, (message) => this.exhaust(message));
  }

  /** Resolves when every lane is finished, or handed back by a limit or a fatal problem. */
  async work(): Promise<void> {
    await new LanePool(
      this.concurrency,
      () => this.nextLane(),
      (lane) => this.runLane(lane),
    ).run();
    if (this.next < this.run.tasks.length) this.unfinished = true;
  }

  /** Starts no further call. */
  exhaust(message: string): void {
    this.exhausted ??= message;
    this.budget.close();
  }

  outcome(): { status: RunStatus; message: string | null } {
    if (this.fatal !== null) return { status: 'failed', message: this.fatal };
    if (!this.unfinished) return { status: 'done', message: null };
    return { status: 'limit_reached', message: this.exhausted };
  }

  private mustEnd(): boolean {
    return this.exhausted !== null || this.fatal !== null;
  }

  private nextLane(): LaneState | undefined {
    const { tasks, config, loaded } = this.run;
    const slot = this.next;
    if (slot >= tasks.length || this.mustEnd()) return undefined;
    this.next = config.runtime.memory_scope === 'run' ? tasks.length : slot + 1;
    return newLane(slot, this.next, initialMemory(config.memory, loaded, this.task(slot).id));
  }

  private async runLane(state: LaneState): Promise<void> {
    const journal = this.journalOf(state);
    const lane: Lane = new Lane(
      state,
      this.ports(journal, (episode) => this.record(episode, lane, journal)),
    );
    try {
      if ((await lane.run()) === 'suspended') this.unfinished = true;
    } catch (error) {
      if (!(error instanceof FatalRunError)) throw error;
      this.unfinished = true;
      this.fatal ??= error.message;
      this.budget.close();
    }
    const begun = lane.state.sample !== undefined || lane.state.last_sample !== undefined;
    if (this.run.config.runtime.memory_scope === 'run' && begun)
      this.sharedMemory = this.memoryOf(lane, journal);
  }

  private journalOf({ from }: LaneState): LocalJournal {
    const { memory } = this.run.config;
    const make = async () => {
      const index = (await this.run.indexes()).index({ paid: (paid) => this.pay(paid) });
      const correctOnly = 'retrieval' in memory && memory.retrieval.correct_only;
      return new ExperienceSearch(index, this.loadedOf(from).experiences, correctOnly);
    };
    let search: Promise<ExperienceSearch> | undefined;
    const { max_attempts } = this.run.config.lm;
    return new LocalJournal(async (work) => {
      const answer = await untilAnswered(max_attempts, async () => {
        search ??= make();
        return work(await search);
      });
      return answer.value;
    });
  }

  private pay(paid: PaidEmbeddings): void {
    this.embeddings = addEmbeddings(this.embeddings, paid);
    this.budget.pay(paid);
  }

  private loadedOf(slot: number): SavedParts {
    const { config, loaded } = this.run;
    return isJournaled(config.memory._type)
      ? loadedParts(config.memory, loaded, this.task(slot).id)
      : NOTHING_SAVED;
  }

  /** A lane's memory as a durable run saves it. */
  private memoryOf(lane: Lane, journal: LocalJournal): MemorySnapshot {
    const memory = lane.snapshot().memory as MemorySnapshot;
    if (!isJournaled(memory._type)) return memory;
    const entries = journal.entries().slice(0, memory.entries as number);
    return savedMemory(memory._type, grownParts(this.loadedOf(lane.state.from), entries));
  }

  private record(episode: EpisodeRecord, lane: Lane, journal: LocalJournal): void {
    const calls = episode.calls.flatMap(({ step, ...call }) => {
      const record = this.caller.take(call);
      return record === undefined ? [] : [{ ...record, step }];
    });
    this.episodes.push({ episode, calls, executions: this.programs.take(episode) });
    if (this.run.config.runtime.memory_scope === 'run') return;
    // A trial that a limit cuts off leaves no trace here, as none is left in the rows.
    this.sampleMemories.set(episode.index, this.memoryOf(lane, journal));
  }

  private ports(journal: LocalJournal, record: LanePorts['record']): LanePorts {
    const { memory } = this.run.config;
    return {
      rules: laneRulesOf(this.run.config),
      mayProceed: async () => !this.mustEnd(),
      openSample: (slot) => this.openSample(slot),
      step: ({ index }, state, action) => this.step(index, state, action),
      generate: (call, request, step) => this.generate(call, request, step),
      execute: (execution, request) => this.programs.run(execution, request),
      createAgent: this.run.createAgent,
      createMemory: (saved) => buildMemory(memory, saved, journal),
      record,
      now: () => Date.now(),
      isInterruption,
      describeError: (error) => describeError(error, this.ownFile()),
    };
  }

  /** The file of a user's agent. */
  private ownFile(): string | undefined {
    const { agent } = this.run.config;
    return 'file' in agent ? (agent.file as string) : undefined;
  }

  private task(index: number): Task {
    return this.run.tasks[index] as Task;
  }

  private made(task: Task): MadeEnvironment {
    return { make: () => this.run.environment(task), file: this.run.config.dataset.env_file };
  }

  private async openSample(slot: number): Promise<OpenedSample> {
    const task = this.task(slot);
    const { index, id } = task;
    const begun = await beginEpisode(this.made(task));
    return 'error' in begun
      ? { index, id, state: null, obs: '', problem: begun.error }
      : { index, id, ...begun };
  }

  private step(index: number, state: Json, action: string): Promise<StepAnswer> {
    return takeStep(this.made(this.task(index)), state, action);
  }

  /** Waits until a request may be sent. */
  private async takeLeave(): Promise<void> {
    if (this.mustEnd() || !(await this.budget.take())) throw new CallRefusedError();
  }

  private async generate(
    call: CallIdentity,
    request: AgentRequest,
    awaited: AwaitedStep | undefined,
  ): Promise<GeneratedReply> {
    await this.takeLeave();
    const record = await this.caller.call(call, request, {
      failed: (unkept) => {
        this.unkept = addUnkept(this.unkept, unkept);
        this.budget.failed(unkept);
      },
      again: () => this.takeLeave(),
    });
    this.budget.settle(record);
    const { text, finish_reason, cost_usd, usage, tool_calls, reasoning } = record;
    const step =
      awaited === undefined ? undefined : await this.step(awaited.index, awaited.state ?? null, text);
    return {
      text,
      finish_reason,
      ...(reasoning === undefined || text.trim() !== '' ? {} : { reasoning }),
      ...(cost_usd === null ? {} : { cost_usd }),
      ...(usage === undefined ? {} : { usage }),
      ...(tool_calls === undefined ? {} : { tool_calls }),
      ...(step === undefined ? {} : { step }),
    };
  }
}
