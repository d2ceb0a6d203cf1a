import type { JournalEntry } from '../memory/memory-module.js';
import type { Feedback } from './environment.js';
import type { ExecutionRecord } from './execution.js';
import type { Json, JsonObject } from './json.js';
import type { CallIdentity, CallRecord, FinishReason, Usage } from './language-model.js';
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

/** One line of a part file: an episode with its calls, or the memory that a shared lane ended with. */
export type PartLine =
  | {
      kind: 'episode';
      index: number;
      trial: number;
      row: ResultRow;
      calls: CallRecord[];
      executions?: ExecutionRecord[];
      /** Every step with its observation; the row lists them only where there is more than one. */
      steps: StepRecord[];
    }
  | {
      kind: 'memory';
      index: number;
      sample_id: string;
      memory: JsonObject;
      /** The entries of a sample's own memory. Those of a shared one are in the run's journal. */
      entries?: JournalEntry[];
    };

/** How an experiment ended; `incomplete`: all was tried, and rows are missing because something outside of it failed. */
export type RunStatus = 'done' | 'incomplete' | 'limit_reached' | 'stopped' | 'failed' | 'cancelled';

/** What embedding texts for retrieval took. A vector that was known already costs nothing and is not counted. */
export interface EmbeddingTotals {
  texts: number;
  input_tokens: number;
  /** Requests whose tokens are estimated from the text, because the provider did not report them; absent: none. */
  estimated?: number;
  /** US dollars; null where the model's price is not known. */
  cost_usd: number | null;
}

/** Figures of one environment class. */
export interface TaskMetrics {
  samples: number;
  correct: number;
  errors: number;
  accuracy: number | null;
  /** Multiple choice: counts by target letter, then by the letter that was answered (`none`: no letter). */
  confusion?: Record<string, Record<string, number>>;
}

/** Code of the user's own was another one when a run was continued, or when it ended. */
export interface CodeChange {
  /** ISO 8601: when that was noticed. */
  at: string;
  /** Episodes that had been finished by then: with the earlier code, or with both. */
  episodes: number;
  /** Modules, from the folder on of the file that the config names. */
  modules: string[];
}

/** The content of `metrics.json`. Every number shown anywhere comes from here. */
export interface Metrics extends Beside, Repeats, CallFigures {
  name: string;
  experiment: string;
  kind: 'run';
  status: RunStatus;
  status_message: string | null;
  model: string;
  /** True where the replies come from the simulated model: no benchmark figure. */
  simulated: boolean;
  agent: string;
  seed: number;
  /** What its config meant, for people: the order of its samples, what each prompt could show, and what the accuracy is of. */
  in_words: string[];
  /**
   * The most that any prompt could show of how answers were judged: the right answers, whether answers were right, nothing,
   * or what nobody can tell (an agent of one's own, texts of a loaded memory).
   */
  feedback_in_prompts: 'full' | 'outcome' | 'none' | 'unknown';
  /** Similar tasks were chosen by how they were judged; absent where they were not. */
  examples_chosen_by_label?: true;
  /** What of the feedback the memory keeps: with the gold target, without it, or nothing. */
  feedback_in_memory: 'full' | 'outcome' | 'none';
  /** Samples with at least one finished episode, and how many the run was to visit. */
  samples: number;
  samples_planned: number;
  episodes: number;
  /** Which trial of a sample `correct` and `accuracy` are of: with `any_trial` a success is its last one. */
  accuracy_of: 'only_trial' | 'last_trial' | 'any_trial';
  /** Samples whose last trial succeeded. */
  correct: number;
  /** correct / (samples − errors); null where nothing could be judged. */
  accuracy: number | null;
  /** Samples whose last trial is an error row. */
  errors: number;
  error_types: Record<string, number>;
  /** By type, each cause of it with what the first row says; absent where there is none. */
  error_causes?: ErrorCause[];
  /** Element t: share of judged samples whose newest trial up to t succeeded. */
  success_by_trial: (number | null)[];
  correct_by_trial: number[];
  /** Trials that were judged, the share of them that succeeded, and its 95 % interval; absent with one trial, or where a success ends them. */
  trials_judged?: number;
  mean_over_trials?: number | null;
  mean_over_trials_interval?: [number, number] | null;
  mean_reward: number | null;
  /** Of all rows, such as a reflection that failed. */
  warnings: number;
  /** What the first row with a warning says; absent where there is none. */
  first_warning?: string;
  /** Where the user's own code was not the same all along; absent: it was, or there is none. */
  code_changes?: CodeChange[];
  lm_calls: number;
  /** Programs run in the sandbox, and how many of them failed; absent where there was none. */
  code_executions?: number;
  code_executions_failed?: number;
  /** What the agent counted, added up over the episodes. */
  agent_metrics?: Record<string, number>;
  /** Dynamic Cheatsheet: whether the curator was shown how answers were judged. */
  curator_sees_feedback?: boolean;
  /** Texts that were embedded for retrieval, and what that cost; absent where there was none. */
  embeddings?: EmbeddingTotals;
  /** Calls answered from the shared cache. */
  lm_calls_cached: number;
  usage: Usage;
  /** US dollars; null where a price is not known. */
  cost_usd: number | null;
  wall_seconds: number;
  started_at: string;
  ended_at: string;
  by_task: Record<string, TaskMetrics>;
}
