import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ChatMessage } from '../../../contracts/language-model.js';

/** What the oracle of a row does: calls a tool, or says something to the user. */
export type OracleAction = { tool: string; arguments: JsonObject } | { say: string };

/** A row of a bundle's dataset, checked, with every default and with its dates written out. */
export interface BundleRow {
  id: string;
  /** What fills the database: SQL, already read from its file; empty for an empty database. */
  seed_sql: string;
  /** One value that is true once the task is done; null where only the reward knows. */
  end_goal_sql: string | null;
  initial_messages: ChatMessage[];
  /** Who the simulated user is and what it wants; null where nobody answers the agent. */
  sim_user_prompt: string | null;
  /** Which tools there are, such as `flight_task.tools`. */
  toolset: string;
  n_rollouts: number;
  /** Replies of the agent that a rollout may have. */
  max_turns: number;
  /** The rollout ends with the reply after whose tool calls `end_goal_sql` holds. */
  stop_at_goal: boolean;
  /** Names of the tools that are offered; null for all of the toolset. */
  tools_allowed: string[] | null;
  metadata: JsonObject;
  /** Actions that solve the row; null where none are known. */
  oracle: OracleAction[] | null;
  /** ISO 8601: what prompts, SQL and tools take for the present time. */
  now: string;
}

/** Why a tool call changed nothing. */
export type ToolFault = 'unknown_tool' | 'not_allowed' | 'invalid_arguments' | 'tool_failed';

/** What a tool call came to. `content` is the text that the model reads. */
export type ToolOutcome =
  | { ok: true; value: Json; content: string }
  | { ok: false; fault: ToolFault; message: string; content: string };
