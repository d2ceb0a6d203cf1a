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
import type { CallIdentity, GeneratedReply } from '../contracts/language-model.js';
import type { EpisodeError, EpisodeRecord } from '../contracts/results.js';
import type { MemoryModule, MemorySnapshot } from '../memory/memory-module.js';

/** A sample that is ready for its first step. */
export interface OpenedSample {
  /** Position in the run's order. */
  index: number;
  id: string;
  state: Json;
  obs: string;
  /** Why it could not be opened; absent where it was. */
  problem?: EpisodeError;
}

/** The rules a lane follows, most of them fields of `runtime`. */
export interface LaneRules {
  num_trials: number;
  early_stop_on_success: boolean;
  carry_memory_across_trials: boolean;
  max_steps_per_episode: number | null;
  /** What becomes of an action that a token limit cut off; absent: it is judged. */
  on_cut_off?: 'judge' | 'error';
  /** A built-in environment resets to the same state each time; a user's own is asked again for each trial. */
  reset_each_trial: boolean;
  /** A built-in environment is pure and steps along with the reply; a user's own may do I/O and steps on its own. */
  step_with_reply: boolean;
}

/** What a lane gives its agent to work with. */
interface AgentTools {
  memory: MemoryModule;
  languageModel: AgentLanguageModel;
  codeExecutor: CodeExecutor;
}

/**
 * Everything a lane needs from outside. A workflow answers with activities, `runInProcess` with direct calls;
 * the lane, the agent and the environment are the same.
 */
export interface LanePorts {
  rules: LaneRules;
  /** Waits while the run is paused. False: the lane has to stop here and hand back its state. */
  mayProceed(boundary: 'episode' | 'step'): Promise<boolean>;
  openSample(slot: number, trial: number): Promise<OpenedSample>;
  step(sample: OpenedSample, state: Json, action: string): Promise<StepAnswer>;
  /**
   * Rejects with `CallRefusedError` where a limit forbids the call. `step` is the environment that awaits the reply;
   * it may be answered along with it.
   */
  generate(call: CallIdentity, request: AgentRequest, step?: AwaitedStep): Promise<GeneratedReply>;
  /** Runs a program in the sandbox. Rejects where that cannot be done, not where the program fails. */
  execute(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult>;
  createAgent(tools: AgentTools): Agent;
  createMemory(saved: MemorySnapshot | null): MemoryModule;
  record(episode: EpisodeRecord): Promise<void> | void;
  /** Milliseconds since 1970. */
  now(): number;
  /** An error that is no episode's: cancellation, a refused call. It ends the lane. */
  isInterruption(error: unknown): boolean;
  describeError(error: unknown): EpisodeError;
}

/** The environment could not begin; carries what it said. */
export class OpenError extends Error {
  constructor({ type, message }: EpisodeError) {
    super(message);
    this.name = type;
  }
}

/** The environment could not take a step; carries what it said, and the action. */
export class StepError extends Error {
  constructor(
    readonly problem: EpisodeError,
    readonly action: string,
  ) {
    super(problem.message);
    this.name = problem.type;
  }
}

/** The action was cut off at its token limit, and is not to be judged then. */
export class CutOffError extends Error {
  override readonly name = 'CutOff';
}

/** A limit is reached: the call was not made, and the episode it belongs to is not recorded. */
export class CallRefusedError extends Error {
  override readonly name = 'CallRefusedError';
}
