import type { ChatMessage, ToolDefinition } from '../contracts/language-model.js';

/** A complete exchange with a language model. */
export interface Chat {
  messages: ChatMessage[];
  logprobs: number[] | null;
  top_tokens: string[][] | null;
  token_top_logprobs: number[][] | null;
}

/** One step of the environment with every exchange that led to it. */
export interface TimeStep {
  /** At least one. */
  chats: Chat[];
  reward: number | null;
  mc_return: number | null;
  done: boolean;
  available_tool_schemas: ToolDefinition[] | null;
  advantage: number | null;
}

/** A whole episode, ready for training. A row of `trajectories.jsonl`. */
export interface Trajectory {
  timesteps: TimeStep[];
  reset_kwargs: Record<string, unknown>;
  error_info: Record<string, string> | null;
  episode_id: string | null;
  schema_version: 1;
}
