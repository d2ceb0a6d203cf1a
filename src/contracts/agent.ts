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

/** What an agent asks of its language model; sample, trial and ordinal are filled in by the lane it runs in. */
export interface AgentRequest {
  purpose: Purpose;
  messages: ChatMessage[];
  /** Overrides of the run's `lm` parameters for this call. */
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
}

/** The language model as an agent sees it. Rejects when the call failed for good; the episode is then an error. */
export interface AgentLanguageModel {
  generate(request: AgentRequest): Promise<GenerateReply>;
}

/** A Python program that an agent wants to be run. */
export interface CodeRequest {
  code: string;
  /** Wall-clock seconds it may take. */
  timeout_sec: number;
}

/**
 * The run's sandbox as an agent sees it. A program that fails is a result; it rejects where no program can be run, and
 * the episode is then an error.
 */
export interface CodeExecutor {
  execute(request: CodeRequest): Promise<ExecutionResult>;
}

/** What an agent is told of the episode that begins. */
export interface EpisodeInfo {
  sample_id: string;
  /** From 0. */
  trial: number;
  num_trials: number;
}

/**
 * An agent, as the lane drives it: `reset`, then `act` and `observe` in turns until done, then `endEpisode`.
 * It runs inside a workflow: no I/O but the interfaces it is handed, no clock, no randomness of its own.
 */
export interface Agent {
  reset(episode: EpisodeInfo): void | Promise<void>;
  /** The next action for an observation. */
  act(observation: string): Promise<string>;
  /** The aftermath of the last action. `observation` is null when the episode is over. */
  observe(observation: string | null, feedback: Feedback, done: boolean): Promise<void>;
  /** Called once after the last step, for example to reflect. */
  endEpisode(): Promise<void>;
  /** State within an episode, besides the memory; plain JSON. A long episode is carried over by it. */
  snapshot(): JsonObject;
  restore(state: JsonObject): void | Promise<void>;
  /** Counts of this episode for `agent_metrics`, such as refused sheets; asked for when it ends. */
  metrics?(): Record<string, number>;
}
