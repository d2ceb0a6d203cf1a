import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ChatMessage } from '../../../contracts/language-model.js';

/** Action of a row's oracle: a tool call, or a message to the user. */
export type OracleAction = { tool: string; arguments: JsonObject } | { say: string };

/** A row of a bundle's dataset, validated, with defaults and dates filled in. */
export interface BundleRow {
  id: string;
  /** SQL that fills the database, already read from its file; empty for an empty database. */
  seed_sql: string;
  /** SQL of a value that is true once the task is done; null if only the reward can tell. */
  end_goal_sql: string | null;
  initial_messages: ChatMessage[];
  /** Identity and goal of the simulated user; null if nobody answers the agent. */
  sim_user_prompt: string | null;
  /** Name of the module with the tools, such as `flight_task.tools`. */
  toolset: string;
  n_rollouts: number;
  /** Maximum number of the agent's replies in a rollout. */
  max_turns: number;
  /** True if the rollout ends with the reply after whose tool calls `end_goal_sql` holds. */
  stop_at_goal: boolean;
  /** Names of the tools that are offered; null for all of the toolset. */
  tools_allowed: string[] | null;
  metadata: JsonObject;
  /** Actions that solve the row; null if none are known. */
  oracle: OracleAction[] | null;
  /** Present time for prompts, SQL and tools, ISO 8601. */
  now: string;
}

/** Reason why a tool call failed, and changed nothing. */
export type ToolFault = 'unknown_tool' | 'not_allowed' | 'invalid_arguments' | 'tool_failed';

/** Outcome of a tool call. `content` is the text that the model reads. */
export type ToolOutcome =
  | { ok: true; value: Json; content: string }
  | { ok: false; fault: ToolFault; message: string; content: string };
