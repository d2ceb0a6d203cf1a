import type { Asked, BudgetStanding, ChildExecution, Limits } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
import type { CutOffReplies, EpisodeError, RunStatus } from '../../contracts/results.js';
import type { AskedBefore, StepCost } from '../../contracts/step-cost.js';
import type { AgentEvalMetrics } from './results.js';
import type { RolloutRules } from './rollouts/rollout.js';

/** The kind's id, which is the type of its workflow. */
export const AGENT_EVAL_ID = 'agent-eval';
/** The type of the workflow of a rollout. */
export const ROLLOUT = 'rollout';
/** Names the update that takes a person's answer in the place of the user; to a rollout. */
export const REPLY = 'reply';

/** The input of the workflow `agent-eval`: a config's path on the worker, or the config itself. */
export type AgentEvalInput =
  | { config_path: string; set?: string[]; name?: string; results_dir?: string }
  | JsonObject;

/** A version of a rollout's database: how many tool calls it has seen, and where its bytes are. */
export interface DatabaseVersion {
  version: number;
  /** Key in the experiment's store. */
  database: string;
}

/** The tool calls of a reply while they are being made. */
export interface OpenCalls {
  calls: number;
  /** Of them, those that are answered. */
  made: number;
  /** Whether the goal held after the last one, where somebody looked. */
  goal: boolean;
}

/** How far a rollout has come. With the row and the store it says everything that was said and done. */
export interface RolloutPlace {
  /** Replies of the agent so far. */
  agent_turns: number;
  /** Messages of the user so far, beside those that the row begins with. */
  user_turns: number;
  /** Tries for the user's next message that came to nothing. */
  user_faults: number;
  /** The user has answered and left: the agent's next reply without a tool call is the last one. */
  user_left?: true;
  /** Of the agent's last reply; absent where all of them are made. */
  open?: OpenCalls;
  at: DatabaseVersion;
}

/** Why a rollout ended. */
export type RolloutEnding =
  /** The user said that they are done. */
  | 'user_stop'
  /** The row's goal holds, and the row ends with it. */
  | 'goal'
  /** There is no user, and the agent called no further tool. */
  | 'agent_done'
  | 'max_turns'
  /** The agent used up a reply's token limit, or ended it, before it said anything or called a tool: it only thought. */
  | 'cut_off'
  /** The simulated user did not play its part, however often it was asked. */
  | 'user_fault';

/** What is wrong with a message of a simulated user. */
export type UserFault =
  | 'empty'
  /** It speaks as the agent. */
  | 'role_swap'
  /** It ends the conversation before the agent could do anything. */
  | 'early_stop'
  /** Its token limit ended it in the middle. */
  | 'cut_off';

/** How a rollout ended, and where it then stood. */
export interface RolloutOutcome {
  ending: RolloutEnding;
  place: RolloutPlace;
  /** What the simulated user did wrong at last; null where it played its part. */
  user_fault: UserFault | null;
}

/** Names a rollout of a run. */
export interface RolloutName {
  /** The run, as activities are handed it; see `runReference`. */
  run: string;
  /** Id of the row. */
  row: string;
  /** From 0, within the row. */
  rollout: number;
}

export interface RolloutStep extends RolloutName {
  place: RolloutPlace;
}

/** A step that asks a model. */
export interface AskingStep extends RolloutStep {
  /** Where each request needs leave of its own: what those before this one came to. */
  before?: AskedBefore;
}

/** What a workflow learns of a reply of the agent; the reply is in the store. */
export interface AgentTurn extends StepCost {
  /** Tool calls that it asks for and that are made. */
  tool_calls: number;
  /** Those beyond what one reply may ask for, which the agent is told. Absent: none. */
  tool_calls_refused?: number;
  /** The agent went no further than its thoughts: there is neither word nor call to go on from. Absent: it did. */
  cut_off?: true;
}

export interface ToolCallInput extends RolloutStep {
  /** The call's place in the agent's last reply, from 0. */
  index: number;
  /** Whether to look if the row's goal holds afterwards. */
  checks_goal: boolean;
}

/** What a workflow learns of a tool call. */
export interface ToolTurn {
  at: DatabaseVersion;
  /** False where the call was refused or failed, which the agent is told. */
  ok: boolean;
  /** Whether the row's goal holds; null where nobody asked. */
  goal: boolean | null;
}

export interface UserTurnInput extends AskingStep {
  /** What a person said in the user's place; null where the user is simulated. */
  said: string | null;
}

export type UserTurn = StepCost &
  (
    | { kind: 'said' }
    /** Said the stop token, and with it what the agent had asked for: the agent has one more reply that they do not answer. */
    | { kind: 'answered_and_left' }
    | { kind: 'stopped' }
    | { kind: 'faulty'; fault: UserFault }
  );

/** What all steps of a rollout, or of a run, have come to. Cumulative. */
export interface RolloutTotals extends StepCost {
  agent_turns: number;
  tool_calls: number;
  /** Tool calls that were refused or failed. */
  tool_calls_failed: number;
}

export interface EndRolloutInput extends RolloutName {
  /** null where an error ended it. */
  outcome: RolloutOutcome | null;
  /** Of the infrastructure, or of a bundle's own code; never a score. */
  error: EpisodeError | null;
  totals: RolloutTotals;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
}

/** What a run learns of a rollout; the whole result is in the store. */
export interface RolloutResult {
  /** `suspended`: it stands where it was, and goes on when the run is continued. */
  status: 'done' | 'error' | 'user_fault' | 'suspended';
  ending: RolloutEnding | null;
  score: number | null;
  error: EpisodeError | null;
  totals: RolloutTotals;
  /** Why no further step of any rollout can succeed. */
  fatal: string | null;
}

/** A row of `results.jsonl`: one rollout of one row of a bundle. */
export interface RolloutRow extends Omit<RolloutTotals, 'unkept'> {
  /** Id of the bundle's row. */
  task_id: string;
  /** The rollout's number, from 0. */
  trial: number;
  /** Its UUID, which names its database. */
  rollout_id: string;
  /** The newest message of a user that the row begins with; absent where there is none. */
  question?: string;
  /** The row's; absent where there is none. */
  metadata?: JsonObject;
  status: Exclude<RolloutResult['status'], 'suspended'>;
  ending: RolloutEnding | null;
  /** null where the rollout was not judged. */
  reward: number | null;
  reason: string | null;
  /** Of the reward, by name. */
  metrics: Record<string, { score: number; reason: string }>;
  /** Why it was not judged. */
  error: EpisodeError | null;
  user_fault: UserFault | null;
  /** Replies of the agent that a token limit cut off; absent where none was. */
  cut_off?: CutOffReplies;
  /** Messages of the user, beside those that the row begins with; null where an error ended the rollout. */
  user_turns: number | null;
  /** Key of the database at the end, and the hash of what it holds; null where an error ended the rollout. */
  database: string | null;
  content_hash: string | null;
  /** ISO 8601. */
  started_at: string;
  seconds: number;
}

/** What a row asks for. */
export interface RolloutTask {
  row: string;
  n_rollouts: number;
  rules: RolloutRules;
}

/** What `prepareAgentEval` found out; small, because it stands in a history. */
export interface AgentEvalPlan {
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** The folder's name. */
  experiment: string;
  execution: string;
  name: string;
  /** `provider/model`; of the user `human`, or null where no row has one. */
  agent_model: string;
  user_model: string | null;
  /** Whether a person answers in the user's place. */
  human: boolean;
  simulated: boolean;
  rows: RolloutTask[];
  /** `row/rollout` of those that an earlier execution finished. */
  finished: string[];
  concurrency: number;
  agent: { timeout_sec: number; max_attempts: number };
  user: { timeout_sec: number; max_attempts: number };
  tool_timeout_sec: number;
  limits: Limits;
  search_attributes: string[];
  /** What earlier executions came to. */
  kept: AgentEvalTotals;
  spent_wall_seconds: number;
}

/** Of a run. Cumulative. */
export interface AgentEvalTotals extends RolloutTotals {
  /** Rollouts with a score. */
  rollouts: number;
  /** Sum of their scores. */
  reward: number;
  errors: number;
  /** Absent: none. */
  errors_by_type?: Record<string, number>;
  /** Rollouts that a faulty simulated user spoiled. */
  user_faults: number;
}

/** What people asked of a run, as its rollouts hear of it. */
export interface RolloutControl {
  paused: boolean;
  /** A limit is reached: stand still where you are. */
  exhausted: boolean;
}

export interface RolloutInput {
  plan: Pick<
    AgentEvalPlan,
    'run' | 'experiment' | 'human' | 'agent' | 'user' | 'tool_timeout_sec' | 'agent_model' | 'user_model'
  >;
  task: RolloutTask;
  rollout: number;
  control: RolloutControl;
  /** The run has limits that calls count against, so they begin only when it has granted them. */
  limited: boolean;
  /** From the execution before, when this one continues it. */
  carried?: {
    place: RolloutPlace;
    totals: RolloutTotals;
    started_at: number;
    budget: { granted: number; begun: number; returned: number };
  };
}

/** rollout → agentEval: it has used up the calls that it was granted, and waits for more; or for a person. */
export interface RolloutReport {
  from: ChildExecution;
  /** Its workflow's id. */
  rollout: string;
  budget: BudgetStanding;
}

/** What an execution of `agent-eval` hands to the one that continues it. */
export interface AgentEvalCarried {
  plan: AgentEvalPlan;
  /** Rollouts that were begun, in the order of the plan. */
  begun: number;
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
  asked: Asked;
  totals: AgentEvalTotals;
}

export interface FinalizeAgentEvalInput {
  plan: AgentEvalPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** What this workflow has worked, where its time has a limit; else the time from its start to its end is taken for that. */
  worked_seconds?: number;
}

/** Activities of an evaluation on task bundles. Every one may be repeated. */
export interface AgentEvalActivities {
  prepareAgentEval(input: AgentEvalInput): Promise<AgentEvalPlan>;
  beginRollout(input: RolloutName): Promise<DatabaseVersion>;
  agentTurn(input: AskingStep): Promise<AgentTurn>;
  toolCall(input: ToolCallInput): Promise<ToolTurn>;
  userTurn(input: UserTurnInput): Promise<UserTurn>;
  endRollout(input: EndRolloutInput): Promise<Pick<RolloutResult, 'status' | 'score' | 'error'>>;
  finalizeAgentEval(input: FinalizeAgentEvalInput): Promise<AgentEvalMetrics>;
}
