/** What embedding texts for retrieval took. A vector that was known already costs nothing and is not counted. */

import type { ExecutionRecord } from '../../contracts/execution.js';
import type { JsonObject } from '../../contracts/json.js';
import type { CallRecord } from '../../contracts/language-model.js';
import type { CodeChange, ExperimentMetrics, ResultRow, StepRecord } from '../../contracts/results.js';
import type { JournalEntry } from '../../memory/memory-module.js';

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
/** The content of a run's `metrics.json`. Its errors are samples whose last trial is an error row. */
export interface Metrics extends ExperimentMetrics<'run'> {
  model: string;
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
  by_task: Record<string, TaskMetrics>;
}
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
