import type { Feedback } from './environment.js';
import type { Json, JsonObject } from './json.js';
import type { CallIdentity, FinishReason, Usage } from './language-model.js';
import type { Beside, Repeats } from './step-cost.js';

/** Why an episode could not be judged. Infrastructure, not the model's answer: never counted as a failure. */
export interface EpisodeError {
  /** Machine-readable, e.g. `EmptyReply`, `rate_limited`, `timeout`. */
  type: string;
  message: string;
}

/** Errors of one type that say the same, but for numbers and names. */
export interface ErrorCause {
  type: string;
  /** What the first of them says. */
  message: string;
  count: number;
}

/** Replies of a row that a token limit cut off. They are judged: the limit is a part of what was asked. */
export interface CutOffReplies {
  replies: number;
  /** Of those replies; the ones that the model thought with are absent where no provider counts them. */
  output_tokens: number;
  reasoning_tokens?: number;
  /** What of the last one is there, and which setting to raise. */
  message: string;
}

/** What metrics say of how models were asked, and of replies that a token limit cut off. */
export interface CallFigures {
  /** Rows with such a reply, or where there are no rows, such replies. */
  cut_off: number;
  /** Tokens of them that were reasoning; absent where no provider counts them. */
  cut_off_reasoning_tokens?: number;
  /** How calls were sent otherwise than the config says, and how many of them; absent where none was. */
  adaptations?: Record<string, number>;
}

/** One action of a multi-step episode. */
export interface StepRecord {
  obs: string;
  action: string;
  feedback: Feedback;
  reward: number;
  done: boolean;
  /** What the environment said beside; absent where that is nothing. */
  info?: JsonObject;
  /** Ordinal of the `act` call whose record holds this step's action and outcome, where that is so. */
  act?: number;
}

/**
 * A call as an episode lists it. `step` is the environment step it belongs to, from 0; `repeated` and `maybe_repeated` are
 * those of its record, as far as the attempt knew that answered it.
 */
export type EpisodeCall = CallIdentity & { step: number; repeated?: number; maybe_repeated?: number };

/** What a lane reports of a finished episode; the row of `results.jsonl` is made from it and its calls. */
export interface EpisodeRecord {
  /** The sample's position in the run's order. */
  index: number;
  sample_id: string;
  trial: number;
  steps: StepRecord[];
  reward: number;
  error: EpisodeError | null;
  /** The action that the environment could not judge, where that is the error. */
  unjudged?: string;
  warnings: string[];
  calls: EpisodeCall[];
  /** Programs that were run. */
  executions?: number;
  /** What the agent counted; see `Agent.metrics`. */
  agent_metrics?: Record<string, number>;
  /** Milliseconds since 1970, in the workflow's time. */
  started_at: number;
  ended_at: number;
}

/** One sample in one trial: what a row of `results.jsonl` says of the episode. */
export interface ResultRow {
  id: string;
  /** From 0. */
  trial: number;
  /** The last action, which is the answer of a single-step task; null where there was none. */
  action: string | null;
  /** The answer that the grader read out of the action. */
  extracted: Json;
  feedback: Feedback | null;
  /** What the environment said beside, with the last step; absent where that is nothing, and in an error row. */
  info?: JsonObject;
  reward: number | null;
  error: EpisodeError | null;
  /** The action that the environment could not judge, where that is the error: the one after the steps that were taken. */
  unjudged?: string;
  warnings?: string[];
  /** The limit of steps or an error cut the episode before the environment was done; absent: it was. */
  truncated?: true;
  /** Steps taken; `step_records` lists them where there is more than one. */
  steps: number;
  step_records?: StepRecord[];
  /** Finish reason of the last `act` call; `length` means that the answer was cut off. */
  finish_reason: FinishReason | null;
  /** Replies to `act` that a token limit cut off; absent where none was. */
  cut_off?: CutOffReplies;
  lm_calls: number;
  /** Programs that were run; absent where there was none. */
  code_executions?: number;
  /** What the agent counted in this episode. */
  agent_metrics?: Record<string, number>;
  usage: Usage;
  cost_usd: number | null;
  /** ISO 8601. */
  started_at: string;
  seconds: number;
}

/** What a row says of its sample's task, so that whoever reads it need not look for it elsewhere. */
export interface RowTask {
  question: string;
  /** The gold answer, of several the first; null where the environment needs none. */
  target: string | null;
  /** Every right answer, where there are several. */
  targets?: string[];
  /** Multiple choice: in the order in which they are lettered. */
  choices?: string[];
  /** The dataset row's `meta_fields`; absent where there is none. */
  metadata?: JsonObject;
}

/** A row of `results.jsonl` as it is written. */
export type TaskRow = ResultRow & RowTask;

/** How an experiment ended; `incomplete`: all was tried, and rows are missing because something outside of it failed. */
export type RunStatus = 'done' | 'incomplete' | 'limit_reached' | 'stopped' | 'failed' | 'cancelled';

/** Code of the user's own was another one when a run was continued, or when it ended. */
export interface CodeChange {
  /** ISO 8601: when that was noticed. */
  at: string;
  /** Episodes that had been finished by then: with the earlier code, or with both. */
  episodes: number;
  /** Modules, from the folder on of the file that the config names. */
  modules: string[];
}

/** What the `metrics.json` of every kind has; a kind adds what is its own. Every number shown anywhere comes from here. */
export interface ExperimentMetrics<Kind extends string = string> extends Beside, Repeats, CallFigures {
  name: string;
  /** Name of the folder. */
  experiment: string;
  kind: Kind;
  status: RunStatus;
  status_message: string | null;
  /** True where a model is the simulated one: no benchmark figure. */
  simulated: boolean;
  /** What could not be judged, which is no failure: in no rate, and counted by type. */
  errors: number;
  errors_by_type: Record<string, number>;
  /** By type, each cause of it with what the first one says; absent where there is none. */
  error_causes?: ErrorCause[];
  lm_calls: number;
  usage: Usage;
  /** US dollars; null where a price is not known. */
  cost_usd: number | null;
  wall_seconds: number;
  /** ISO 8601. */
  started_at: string;
  ended_at: string;
}
