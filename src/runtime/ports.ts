import type {
  Agent,
  AgentLanguageModel,
  AgentRequest,
  CodeExecutor,
  CodeRequest,
} from '../contracts/agent.js';
import type { AwaitedStep, StepAnswer } from '../contracts/environment.js';
import type { ExecutionIdentity, ExecutionResult } from '../contracts/execution.js';
import type { Json } from '../contracts/json.js';
import type {
  CallIdentity,
  ChatMessage,
  GeneratedReply,
  ImageReference,
} from '../contracts/language-model.js';
import type { EpisodeError, EpisodeRecord } from '../contracts/results.js';
import type { MemoryModule, MemorySnapshot } from '../memory/memory-module.js';

/** Sample that is ready for its first step. */
export interface OpenedSample {
  /** Position in the run's order. */
  index: number;
  id: string;
  /** Number of its first trial; absent: 0. The trials of a later epoch are numbered on. */
  first_trial?: number;
  state: Json;
  obs: string;
  /** Messages that ask the question; absent: `obs` is all. */
  messages?: ChatMessage[];
  /** Images that come with the question; absent: none. */
  images?: ImageReference[];
  /** Reason why it could not be opened; absent if it was. */
  problem?: EpisodeError;
}

/** Rules that a lane follows, most of them fields of `runtime`. */
export interface LaneRules {
  num_trials: number;
  early_stop_on_success: boolean;
  carry_memory_across_trials: boolean;
  max_steps_per_episode: number | null;
  /** Handling of an action that a token limit cut off; absent: it is judged. */
  on_cut_off?: 'judge' | 'error';
  /** False for a built-in environment, which always resets to the same state; a user's own is reset for each trial. */
  reset_each_trial: boolean;
  /**
   * True for a built-in environment, which is pure and steps together with the reply; a user's own may do I/O and steps
   * separately.
   */
  step_with_reply: boolean;
}

/** Interfaces that a lane gives to its agent. */
interface AgentTools {
  memory: MemoryModule;
  languageModel: AgentLanguageModel;
  codeExecutor: CodeExecutor;
}

/**
 * Everything that a lane needs from outside. A workflow implements it with activities, `runInProcess` with direct
 * calls; the lane, the agent and the environment are the same.
 */
export interface LanePorts {
  rules: LaneRules;
  /** Waits while the run is paused. False: the lane must stop here and return its state. */
  mayProceed(boundary: 'episode' | 'step'): Promise<boolean>;
  openSample(slot: number, trial: number): Promise<OpenedSample>;
  step(sample: OpenedSample, state: Json, action: string): Promise<StepAnswer>;
  /**
   * Rejects with `CallRefusedError` if a limit forbids the call. `step` is the environment that awaits the reply; it
   * may be answered together with the reply.
   */
  generate(call: CallIdentity, request: AgentRequest, step?: AwaitedStep): Promise<GeneratedReply>;
  /** Runs a program in the sandbox. Rejects if no program can be run, not if the program fails. */
  execute(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult>;
  createAgent(tools: AgentTools): Agent;
  createMemory(saved: MemorySnapshot | null): MemoryModule;
  record(episode: EpisodeRecord): Promise<void> | void;
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Reports whether an error belongs to no episode: a cancellation, a refused call. It ends the lane. */
  isInterruption(error: unknown): boolean;
  describeError(error: unknown): EpisodeError;
}

/** Failure of the environment to begin, with its message. */
export class OpenError extends Error {
  constructor({ type, message }: EpisodeError) {
    super(message);
    this.name = type;
  }
}

/** Failure of the environment to take a step, with its message and the action. */
export class StepError extends Error {
  constructor(
    readonly problem: EpisodeError,
    readonly action: string,
  ) {
    super(problem.message);
    this.name = problem.type;
  }
}

/** Action that was cut off at its token limit, and is not judged in this case. */
export class CutOffError extends Error {
  override readonly name = 'CutOff';
}

/** Refusal of a call by a limit: the call was not made, and its episode is not recorded. */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError';
}
