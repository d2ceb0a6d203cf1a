import type { BudgetReport, ChildExecution, Limits, ReceivedRequests } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
import type { CutOffReplies, EpisodeError, RunStatus } from '../../contracts/results.js';
import type { AskedBefore, StepCost } from '../../contracts/step-cost.js';
import type { AgentEvalMetrics } from './results.js';
import type { RolloutRules } from './rollouts/rollout.js';

/** Id of the kind, which is the type of its workflow. */
export const AGENT_EVAL_ID = 'agent-eval';
/** Type of the workflow of a rollout. */
export const ROLLOUT = 'rollout';
/** Name of the update that gives a rollout a person's message in place of the user. */
export const REPLY = 'reply';

/** Input of the workflow `agent-eval`: a config's path on the worker, or the config itself. */
export type AgentEvalInput =
  | { config_path: string; set?: string[]; name?: string; results_dir?: string }
  | JsonObject;

/** A version of a rollout's database: the number of tool calls so far, and the place of its bytes. */
export interface DatabaseVersion {
  version: number;
  /** Key in the experiment's store. */
  database: string;
}

/** The tool calls of a reply while they are being made. */
export interface OpenCalls {
  calls: number;
  /** Number of them that have a result. */
  made: number;
  /** True if the goal held at its last check. */
  goal: boolean;
}

/** Place that a rollout has reached. Together with the row and the store it determines the conversation so far. */
export interface RolloutPlace {
  /** Replies of the agent so far. */
  agent_turns: number;
  /** Messages of the user so far, without the row's initial ones. */
  user_turns: number;
  /** Rejected attempts at the user's next message. */
  user_faults: number;
  /** True if the user has answered and left: the agent's next reply without a tool call is the last one. */
  user_left?: true;
  /** Tool calls of the agent's last reply; absent once all of them are made. */
  open?: OpenCalls;
  at: DatabaseVersion;
}

/** Reason why a rollout ended. */
export type RolloutEnding =
  /** The user said that they are done. */
  | 'user_stop'
  /** The row's goal holds, and `stop_at_goal` is set. */
  | 'goal'
  /** There is no user, and the agent called no further tool. */
  | 'agent_done'
  | 'max_turns'
  /** A reply of the agent ended, or reached its token limit, with reasoning only: no text and no tool call. */
  | 'cut_off'
  /** The simulated user did not play its part in any attempt. */
  | 'user_fault';

/** Fault of a message of a simulated user. */
export type UserFault =
  | 'empty'
  /** It speaks as the agent. */
  | 'role_swap'
  /** It ends the conversation before the agent could do anything. */
  | 'early_stop'
  /** It was cut off at its token limit. */
  | 'cut_off';

/** Ending of a rollout, and its place then. */
export interface RolloutOutcome {
  ending: RolloutEnding;
  place: RolloutPlace;
  /** Last fault of the simulated user; null if it played its part. */
  user_fault: UserFault | null;
}

/** Name of a rollout of a run. */
export interface RolloutName {
  /** Reference to the run, for activities; see `runReference`. */
  run: string;
  /** Id of the row. */
  row: string;
  /** Number within the row, from 0. */
  rollout: number;
}

export interface RolloutStep extends RolloutName {
  place: RolloutPlace;
}

/** A step that calls a model. */
export interface AskingStep extends RolloutStep {
  /** Results of the call's earlier requests, if each request needs a grant of its own. */
  before?: AskedBefore;
}

/** Facts about a reply of the agent for the workflow; the reply itself is in the store. */
export interface AgentTurn extends StepCost {
  /** Number of requested tool calls that are made. */
  tool_calls: number;
  /** Number of tool calls beyond the limit of a reply; the agent gets an error for each. Absent: none. */
  tool_calls_refused?: number;
  /** True if the reply has reasoning only: there is neither text nor a tool call to continue from. */
  cut_off?: true;
}

export interface ToolCallInput extends RolloutStep {
  /** Index of the call in the agent's last reply, from 0. */
  index: number;
  /** True if the row's goal is to be checked afterwards. */
  checks_goal: boolean;
}

/** Facts about a tool call for the workflow. */
export interface ToolTurn {
  at: DatabaseVersion;
  /** False if the call was refused or failed; the agent sees why. */
  ok: boolean;
  /** True if the row's goal holds; null if it was not checked or there is none. */
  goal: boolean | null;
}

export interface UserTurnInput extends AskingStep {
  /** Message of a person in the user's place; null if the user is simulated. */
  said: string | null;
}

export type UserTurn = StepCost &
  (
    | { kind: 'said' }
    /** Message with the stop token and an answer: the user sees nothing after it, but the agent may act on it. */
    | { kind: 'answered_and_left' }
    | { kind: 'stopped' }
    | { kind: 'faulty'; fault: UserFault }
  );

/** Cumulative totals of all steps of a rollout, or of a run. */
export interface RolloutTotals extends StepCost {
  agent_turns: number;
  tool_calls: number;
  /** Tool calls that were refused or failed. */
  tool_calls_failed: number;
}

export interface EndRolloutInput extends RolloutName {
  /** Outcome of the rollout; null if an error ended it. */
  outcome: RolloutOutcome | null;
  /** Error that ended the rollout, which then has no score; null if it has an outcome. */
  error: EpisodeError | null;
  totals: RolloutTotals;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
}

/** Result of a rollout as its run needs it; the whole result is in the store. */
export interface RolloutResult {
  /** Status; `suspended`: the rollout has not ended, and continues when the run is continued. */
  status: 'done' | 'error' | 'user_fault' | 'suspended';
  ending: RolloutEnding | null;
  score: number | null;
  error: EpisodeError | null;
  totals: RolloutTotals;
  /** Reason why no further step of any rollout can succeed; null if there is none. */
  fatal: string | null;
}

/** A row of `results.jsonl`: one rollout of one row of a bundle. */
export interface RolloutRow extends Omit<RolloutTotals, 'unrecorded'> {
  /** Id of the bundle's row. */
  task_id: string;
  /** Number of the rollout within the row, from 0. */
  trial: number;
  /** UUID of the rollout, which names its database. */
  rollout_id: string;
  /** Last user message among the row's initial messages; absent if there is none. */
  question?: string;
  /** Metadata of the row; absent if there is none. */
  metadata?: JsonObject;
  status: Exclude<RolloutResult['status'], 'suspended'>;
  ending: RolloutEnding | null;
  /** Score of the reward; null if the rollout was not judged. */
  reward: number | null;
  reason: string | null;
  /** Metrics of the reward, by name. */
  metrics: Record<string, { score: number; reason: string }>;
  /** Reason why the rollout was not judged. */
  error: EpisodeError | null;
  user_fault: UserFault | null;
  /** Replies of the agent that a token limit cut off; absent if none was. */
  cut_off?: CutOffReplies;
  /** Replies of the agent that hold a tool call as text, which was not made; absent if none does. */
  tool_calls_as_text?: number;
  /** Messages of the user, without the row's initial ones; null if an error ended the rollout. */
  user_turns: number | null;
  /** Key of the database at the end, and the hash of its content; null if an error ended the rollout. */
  database: string | null;
  content_hash: string | null;
  /** ISO 8601. */
  started_at: string;
  seconds: number;
}

/** Rollouts that a row requires. */
export interface RolloutTask {
  row: string;
  n_rollouts: number;
  rules: RolloutRules;
}

/** Result of `prepareAgentEval`; small, because it is part of the workflow's history. */
export interface AgentEvalPlan {
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** Name of the folder. */
  experiment: string;
  execution: string;
  name: string;
  /** Models as `provider/model`; the user's is `human` for a person, and null if no row has a user. */
  agent_model: string;
  user_model: string | null;
  /** True if a person answers in the user's place. */
  human: boolean;
  simulated: boolean;
  rows: RolloutTask[];
  /** Rollouts that earlier executions finished, as `row/rollout`. */
  finished: string[];
  concurrency: number;
  /** Where a rollout runs: as a child workflow, or in a worker's process. */
  grain?: 'unit';
  /** Sentences for people on how it runs; absent: none. */
  means?: readonly string[];
  agent: { timeout_sec: number; max_attempts: number };
  user: { timeout_sec: number; max_attempts: number };
  tool_timeout_sec: number;
  limits: Limits;
  search_attributes: string[];
  /** Totals of earlier executions. */
  kept: AgentEvalTotals;
  spent_wall_seconds: number;
}

/** Cumulative totals of a run. */
export interface AgentEvalTotals extends RolloutTotals {
  /** Rollouts with a score. */
  rollouts: number;
  /** Sum of their scores. */
  reward: number;
  errors: number;
  /** Errors by type; absent: none. */
  errors_by_type?: Record<string, number>;
  /** Rollouts that a faulty simulated user spoiled. */
  user_faults: number;
}

/** State of a run that its rollouts must follow. */
export interface RolloutControl {
  paused: boolean;
  /** True if a limit is reached, or the run has failed: no further step may begin. */
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
  /** True if the run has limits on calls, so that each call needs a grant. */
  limited: boolean;
  /** State of the previous execution, if this one continues it. */
  carried?: {
    place: RolloutPlace;
    totals: RolloutTotals;
    started_at: number;
    budget: { granted: number; begun: number; returned: number };
  };
}

/** Report of a rollout to its run: it has spent its grant and requests more calls, or it waits for a person. */
export interface RolloutReport {
  from: ChildExecution;
  /** Id of the rollout's workflow. */
  rollout: string;
  budget: BudgetReport;
}

/** State that an execution of `agent-eval` passes to the one that continues it. */
export interface AgentEvalCarried {
  plan: AgentEvalPlan;
  /** Number of rollouts that were begun, of those that were due. */
  begun: number;
  started_at: number;
  /** Seconds worked so far, if the run's time has a limit. */
  worked_seconds?: number;
  asked: ReceivedRequests;
  totals: AgentEvalTotals;
}

export interface FinalizeAgentEvalInput {
  plan: AgentEvalPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow has worked, if its time has a limit. Default: the time from start to end. */
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
