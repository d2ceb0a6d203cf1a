import type { AgentConfig } from '../config/agent-schemas.js';
import type { MemoryConfig } from '../config/memory-schemas.js';
import type { LaneState } from '../runtime/lane-state.js';
import type { LaneRules } from '../runtime/ports.js';
import type { RunBudget } from '../runtime/run-budget.js';
import type { ShardBudget } from '../runtime/shard-budget.js';
import type { Allotment, Amounts } from './allotment.js';
import type { Json, JsonObject } from './json.js';
import type { CallIdentity, ChatMessage, GenerateParameters, ToolDefinition } from './language-model.js';
import type { Metrics, RunStatus } from './results.js';
import type { AskedBefore, Beside, Repeats } from './step-cost.js';

/**
 * The input of the workflow `run`: a config's path on the worker, or the config itself.
 * The first form is for `temporal workflow start --input '{"config_path": "configs/x.yaml"}'`.
 */
export type RunInput =
  | { config_path: string; set?: string[]; name?: string; results_dir?: string }
  | JsonObject;

/**
 * Names one execution of an experiment. A worker keeps what it has read of a run under this name, so that a continued
 * run, whose plan differs, is read anew by every worker.
 */
export function runReference(artifacts: string, execution: string): string {
  // It stands in the input of every call; the random end of the execution's id is telling enough.
  return `${artifacts}#${execution.slice(-12)}`;
}

/** The folder's URI in a {@link runReference}. */
export function artifactsOf(run: string): string {
  const end = run.lastIndexOf('#');
  return end === -1 ? run : run.slice(0, end);
}

/** The execution's end in a {@link runReference}. */
export function executionOf(run: string): string {
  return run.slice(run.lastIndexOf('#') + 1);
}

/** What a worker tells an experiment that waits for something outside of it. */
export interface AwayNotice {
  /** A model's name, for one. */
  what: string;
  /** What is wrong with it; null once it is there again. */
  message: string | null;
}

/** Milliseconds after which a worker says again what is away still. */
export const AWAY_TOLD_AGAIN_MS = 300_000;

/** What was spent before this execution, and what a limit counts. */
export interface Spending {
  /** Requests that were sent, and replies that were found. */
  lm_calls: number;
  /** Those of them whose reply is not kept; absent where there is none. */
  unkept?: number;
  tokens: number;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
}

/** What is left of limits; null where there is none. */
export type SpendingLeft = { [Figure in 'lm_calls' | 'tokens' | 'cost_usd']: number | null };

export interface Limits {
  max_cost_usd: number | null;
  max_lm_calls: number | null;
  max_tokens: number | null;
  max_wall_seconds: number | null;
}

/** What `prepareRun` found out: everything that the workflows need, and small, because it stands in a history. */
export interface RunPlan {
  /** What activities are handed: the experiment's folder and this execution; see {@link runReference}. */
  run: string;
  /** URI of the experiment's folder. */
  artifacts: string;
  /** The folder's name, which is the experiment's id. */
  experiment: string;
  /** Names this execution's part files. */
  execution: string;
  name: string;
  /** `provider/model`. */
  model: string;
  simulated: boolean;
  /** Samples to visit now (slots), and all of the run, kept ones included. */
  slots: number;
  samples_planned: number;
  rules: LaneRules;
  memory_scope: 'run' | 'sample';
  concurrency: number;
  shards: number;
  memory: MemoryConfig;
  /** Whether an earlier run's memory is loaded: one for all, or each sample's own. */
  load_memory: 'none' | 'shared' | 'per_sample';
  agent: AgentConfig;
  limits: Limits;
  /** Requests per call, and seconds one may take. */
  max_attempts: number;
  timeout_sec: number;
  /** Search attributes that this server knows. */
  search_attributes: string[];
  /** Samples that an earlier, unfinished execution finished; they are not run again. */
  kept: Totals;
  spent_wall_seconds: number;
  /** What the config means for order and prompts, for people. */
  means: readonly string[];
  /** Which trial of a sample says whether it is correct. */
  accuracy_of: Metrics['accuracy_of'];
}

/** Totals of a shard, or of a run. Cumulative, so that a lost or repeated report does no harm. */
export interface Totals extends Beside, Repeats {
  samples: number;
  correct: number;
  errors: number;
  episodes: number;
  lm_calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
}

/** Names an execution of a child workflow to its experiment, which may have been reset since it began. */
export interface ChildExecution {
  workflow_id: string;
  /** The first one's run id, which the child keeps when it continues as new or is reset. */
  first: string;
  /** Its own. */
  run: string;
}

/** How a shard stands. Cumulative, so that a lost, repeated or overtaken report does no harm. */
export interface ShardReport {
  from: ChildExecution;
  /** Version of the newest {@link ControlState} that it has heard. */
  told: number;
  shard: number;
  /** Grows with each report of the shard. */
  version: number;
  totals: Totals;
  /** What it says of what it was allotted, where the run has limits; see {@link ShardClaim}. */
  claim?: ShardClaim;
  /** Nothing has changed since the report before, and no call is open: perhaps an answer or an order was lost. */
  again?: boolean;
  /** Why no further call can succeed. */
  fatal?: string;
}

/** What a shard says of its budget: cumulative since it began. */
export interface ShardClaim {
  spent: Amounts;
  /** What it has given back of what it was allotted. */
  returned: Allotment;
  /** Calls that it had been allotted when it said so. */
  heard: number;
  /** Calls that it would like to be allotted beyond those. */
  wanted: number;
  /** All that it had been allotted when it said so. A run that was reset may have forgotten of it. */
  holds?: Allotment;
}

/** What a run asks of a shard. The newest says it all, so that a lost, repeated or overtaken one does no harm. */
export interface ControlState {
  /** Grows with each one that the shard is sent. */
  version: number;
  /** It is to report how it stands: another one has nothing to do, and its last report may have been lost. */
  asks?: boolean;
  /** What the shard may spend in all, where the run has limits. */
  allotted?: Allotment;
  paused: boolean;
  /** Finish the episodes in flight and begin no other. */
  stopping: boolean;
  /** Start no further call. */
  exhausted: boolean;
  /** The run goes on in another execution: hand over the lanes between two steps and end. */
  hands_over?: boolean;
  /** Lanes at once in this shard. */
  concurrency: number;
}

export interface ShardInput {
  plan: RunPlan;
  shard: number;
  control: ControlState;
  /** From the execution before, when this one continues it. */
  carried?: ShardCarried;
}

/** Where a shard stands between two of its executions, or between two of its run's. */
export interface ShardCarried {
  next: number;
  lanes: LaneState[];
  /** Parts written. */
  sequence: number;
  totals: Totals;
  budget?: ShardBudget;
  /** Reports sent. */
  reports: number;
}

export interface ShardResult {
  totals: Totals;
  /** False where lanes were left unfinished, by `stop`, a limit or a fatal problem. */
  finished: boolean;
  /** Why no further call could succeed; null where that is not so. */
  fatal: string | null;
  /** Where it goes on in the run's next execution; only where that was asked for. */
  carried?: ShardCarried;
}

/** What a run knows of one of its shards. */
export interface ShardStanding {
  totals?: Totals;
  /** Version of the newest report. */
  heard: number;
  /** Run id of the execution that sent it, and of those before it; absent where nobody said. */
  runs?: string[];
  /** Version of the newest message that it was sent. */
  told: number;
  /** It has worked until its end, or is lost. */
  ended: boolean;
  /** Where it goes on in the run's next execution. */
  carried?: ShardCarried;
}

/** Where a run stands between two of its executions. */
export interface RunCarried {
  plan: RunPlan;
  /** Milliseconds since 1970. */
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
  asked: Asked;
  /** Whether samples are left that no shard will visit any more. */
  unfinished: boolean;
  /** By number. */
  shards: ShardStanding[];
  /** Where the run has limits. */
  budget?: RunBudget;
}

/** What is asked of an experiment, and what a limit that only it can see asks: an experiment that continues as new keeps it. */
export interface Asked {
  paused: boolean;
  /** Begin nothing further; what is in flight ends, and the same command continues the experiment. */
  stopping: boolean;
  /** Why nothing may be begun: a limit is reached. */
  exhausted: string | null;
  /** The most that may be worked on at once. */
  concurrency: number;
}

export type RunPhase = 'preparing' | 'running' | 'paused' | 'stopping' | 'writing' | RunStatus;

/** The answer of the `progress` query. */
export interface Progress {
  experiment: string;
  phase: RunPhase;
  samples_planned: number;
  concurrency: number;
  totals: Totals;
  /** Correct of judged; null before the first. */
  accuracy: number | null;
  /** Which trial of a sample that is of; absent while the run is being prepared. */
  accuracy_of?: Metrics['accuracy_of'];
  /** Workflow ids of the shards. */
  shards: string[];
  /** URI of the artifacts; empty while the run is being prepared. */
  artifacts: string;
  simulated: boolean;
  message: string | null;
  /** What its config means for order and prompts, for people. */
  means?: readonly string[];
}

/** The result of the workflow `run`. */
export interface RunResult {
  artifacts: string;
  metrics: Metrics;
}

/** The input of the activity `generate`. The model's configuration is read from the run's folder. */
export interface GenerateInput {
  run: string;
  call: CallIdentity;
  messages: ChatMessage[];
  parameters?: GenerateParameters;
  tools?: ToolDefinition[];
  /** The environment that awaits the reply as its action: it is stepped in the same activity. */
  step?: AwaitedStep;
  /** Where each request needs leave of its own: what those before this one came to. */
  before?: AskedBefore;
}

/** A built-in environment's task and state before a step. */
export interface AwaitedStep {
  index: number;
  /** Absent: null, which is all that a single question needs. */
  state?: Json;
}
