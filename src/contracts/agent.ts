import type { Feedback } from './environment.js';
import type { ExecutionResult } from './execution.js';
import type { JsonObject } from './json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  Purpose,
  ToolDefinition,
} from './language-model.js';

/** Agent's request to its language model; the lane fills in sample, trial and ordinal. */
export interface AgentRequest {
  purpose: Purpose;
  messages: ChatMessage[];
  /** Overrides of the run's `lm` parameters for this call. */
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
}

/** Language model as an agent sees it. Rejects if the call failed finally; the episode is then an error. */
export interface AgentLanguageModel {
  generate(request: AgentRequest): Promise<GenerateReply>;
}

/** Python program that an agent runs. */
export interface CodeRequest {
  code: string;
  /** Maximum wall-clock seconds. */
  timeout_sec: number;
}

/**
 * Sandbox of the run as an agent sees it. A failed program is a result; it rejects if no program can be run, and the
 * episode is then an error.
 */
export interface CodeExecutor {
  execute(request: CodeRequest): Promise<ExecutionResult>;
}

/** Description of an episode for its agent. */
export interface EpisodeInfo {
  sample_id: string;
  /** From 0. */
  trial: number;
  num_trials: number;
  /**
   * Messages that ask the question, if it is not asked alone: those of the system, earlier turns, and last the user's
   * own. The first observation is their text.
   */
  messages?: ChatMessage[];
}

/**
 * Agent, as the lane uses it: `reset`, then `act` and `observe` in turns until done, then `endEpisode`. A built-in one
 * may run inside a workflow: no I/O except through the interfaces it is given, no clock, no randomness of its own.
 */
export interface Agent {
  /**
   * True if the agent asks with the messages of {@link EpisodeInfo}. Others are shown all of them as a text in their first
   * observation.
   */
  readonly takesMessages?: boolean;
  /** False if it cannot be continued within an episode: it begins that again. */
  readonly continues?: boolean;
  reset(episode: EpisodeInfo): void | Promise<void>;
  /** Returns the next action for an observation. */
  act(observation: string): Promise<string>;
  /** Receives the outcome of the last action. `observation` is null when the episode is over. */
  observe(observation: string | null, feedback: Feedback, done: boolean): Promise<void>;
  /** Called once after the last step, for example to reflect. */
  endEpisode(): Promise<void>;
  /** Returns the state within an episode, besides the memory; plain JSON. A long episode is continued from it. */
  snapshot(): JsonObject;
  restore(state: JsonObject): void | Promise<void>;
  /** Returns counts of this episode for `agent_metrics`, such as refused sheets; called when it ends. */
  metrics?(): Record<string, number>;
}
