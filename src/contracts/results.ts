import type { Feedback } from './environment.js';
import type { Json, JsonObject } from './json.js';
import type { CallIdentity, FinishReason, Usage } from './language-model.js';
import type { Beside, Repeats } from './step-cost.js';

/**
 * Reason why an episode could not be judged. An infrastructure error, not the model's answer: never counted as a
 * failure.
 */
export interface EpisodeError {
  /** Machine-readable, e.g. `EmptyReply`, `rate_limited`, `timeout`. */
  type: string;
  message: string;
}

/** Errors of one type with the same message except for numbers and names. */
export interface ErrorCause {
  type: string;
  /** Message of the first of them. */
  message: string;
  count: number;
}

/** Replies of a row that a token limit cut off. They are judged: the limit is part of the request. */
export interface CutOffReplies {
  replies: number;
  /** Tokens of those replies; reasoning tokens are absent if no provider counts them. */
  output_tokens: number;
  reasoning_tokens?: number;
  /** Describes the remaining part of the last one, and which setting to raise. */
  message: string;
}

/** Metrics about requests to models, what they cost, and replies that a token limit cut off. */
export interface CallFigures extends Beside, Repeats {
  /** Rows with such a reply, or such replies if there are no rows. */
  cut_off: number;
  /** Reasoning tokens of them; absent if no provider counts them. */
  cut_off_reasoning_tokens?: number;
  /** Differences between sent requests and the config, with the number of calls; absent if there are none. */
  adaptations?: Record<string, number>;
  /** Kept replies by the role of their model; absent if one role has them all. */
  by_role?: Record<string, { lm_calls: number; usage: Usage; cost_usd: number | null }>;
  lm_calls: number;
  usage: Usage;
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
}

/** One action of a multi-step episode. */
export interface StepRecord {
  obs: string;
  action: string;
  feedback: Feedback;
  reward: number;
  done: boolean;
  /** Further information from the environment; absent if empty. */
  info?: JsonObject;
  /** Ordinal of the `act` call whose record holds this step's action and outcome, if there is one. */
  act?: number;
}

/**
 * Call in an episode's list. `step` is its environment step, from 0; `repeated` and `maybe_repeated` are those of its
 * record, as far as the attempt knew that answered it.
 */
export type EpisodeCall = CallIdentity & { step: number; repeated?: number; maybe_repeated?: number };

/** Lane's report of a finished episode; the row of `results.jsonl` is made from it and its calls. */
export interface EpisodeRecord {
  /** Position of the sample in the run's order. */
  index: number;
  sample_id: string;
  trial: number;
  /** Epoch, from 0; absent in a run with one. */
  epoch?: number;
  steps: StepRecord[];
  reward: number;
  error: EpisodeError | null;
  /** Action that the environment could not judge, if that is the error. */
  unjudged?: string;
  warnings: string[];
  calls: EpisodeCall[];
  /** Number of programs run. */
  executions?: number;
  /** Counts of the agent; see `Agent.metrics`. */
  agent_metrics?: Record<string, number>;
  /** Milliseconds since 1970, in the workflow's time. */
  started_at: number;
  ended_at: number;
}

/** Result of one sample in one trial: the part of a row of `results.jsonl` about the episode. */
export interface ResultRow {
  id: string;
  /** From 0; counts on over the epochs of a sample. */
  trial: number;
  /** Independent repetition of the sample, from 0; absent in a run with one. */
  epoch?: number;
  /** Last action, which is the answer of a single-step task; null if there was none. */
  action: string | null;
  /** Answer that the grader extracted from the action. */
  extracted: Json;
  feedback: Feedback | null;
  /** Further information from the environment with the last step; absent if empty, and in an error row. */
  info?: JsonObject;
  reward: number | null;
  /** Scores by the run's scorers, by name; null: unscored. Absent in an error row, and without scorers. */
  scores?: Record<string, number | boolean | null>;
  /** Reasons why scorers gave no score, by their names; absent if all did. */
  unscored?: Record<string, string>;
  error: EpisodeError | null;
  /** Action that the environment could not judge, if that is the error: the one after the steps that were taken. */
  unjudged?: string;
  warnings?: string[];
  /** The limit of steps or an error cut the episode before the environment was done; absent: it was done. */
  truncated?: true;
  /** Steps taken; `step_records` lists them if there is more than one. */
  steps: number;
  step_records?: StepRecord[];
  /** Finish reason of the last `act` call; `length` means that the answer was cut off. */
  finish_reason: FinishReason | null;
  /** Replies to `act` that a token limit cut off; absent if there were none. */
  cut_off?: CutOffReplies;
  lm_calls: number;
  /** Number of programs run; absent if there were none. */
  code_executions?: number;
  /** Counts of the agent in this episode. */
  agent_metrics?: Record<string, number>;
  usage: Usage;
  cost_usd: number | null;
  /** ISO 8601. */
  started_at: string;
  seconds: number;
}

/** Task of a row's sample, so that a reader of the row has it at hand. */
export interface RowTask {
  question: string;
  /** Gold answer, the first one of several; null if the environment needs none. */
  target: string | null;
  /** All right answers, if there are several. */
  targets?: string[];
  /** Multiple choice: in the order of their letters. */
  choices?: string[];
  /** The dataset row's `meta_fields`; absent if there are none. */
  metadata?: JsonObject;
}

/** Complete row of `results.jsonl`. */
export type TaskRow = ResultRow & RowTask;

/** Final status of an experiment; `incomplete`: all was tried, and rows are missing because of an outside failure. */
export type RunStatus =
  | 'done'
  | 'decided'
  | 'incomplete'
  | 'limit_reached'
  | 'stopped'
  | 'failed'
  | 'cancelled';

/** Change of a user's code, noticed when a run was continued or ended. */
export interface CodeChange {
  /** Time when it was noticed, in ISO 8601. */
  at: string;
  /** Episodes finished by then: with the earlier code, or with both. */
  episodes: number;
  /** Modules, relative to the folder of the file that the config names. */
  modules: string[];
}

/** Fields of every kind's `metrics.json`; each kind adds its own. Every number shown anywhere comes from here. */
export interface ExperimentMetrics<Kind extends string = string> extends CallFigures {
  name: string;
  /** Name of the folder. */
  experiment: string;
  kind: Kind;
  status: RunStatus;
  status_message: string | null;
  /** True if a model is the simulated one: no benchmark figure. */
  simulated: boolean;
  /** Units that could not be judged, which are no failures: in no rate, and counted by type. */
  errors: number;
  errors_by_type: Record<string, number>;
  /** Causes of the errors by type, with the message of the first of each; absent if there are none. */
  error_causes?: ErrorCause[];
  wall_seconds: number;
  /** ISO 8601. */
  started_at: string;
  ended_at: string;
}
