import type { ExecutionRecord } from '../../contracts/execution.js';
import type { JsonObject } from '../../contracts/json.js';
import type { CallRecord } from '../../contracts/language-model.js';
import type {
  CallFigures,
  CodeChange,
  ExperimentMetrics,
  ResultRow,
  StepRecord,
} from '../../contracts/results.js';
import type { JournalEntry } from '../../memory/memory-module.js';
import type { Agreement } from '../../statistics/agreement.js';
import type { ScoreFigure } from '../../statistics/score-tally.js';
import type { Uncertainty } from '../../statistics/uncertainty.js';

/** Totals of embedding texts for retrieval. A known vector costs nothing and is not counted. */
export interface EmbeddingTotals {
  texts: number;
  input_tokens: number;
  /** Requests whose tokens are estimated from the text, because the provider did not report them; absent if none. */
  estimated?: number;
  /** Cost in US dollars; null if the model's price is unknown. */
  cost_usd: number | null;
}

/** Figures of samples by their last trials: of an environment class, or of a group. */
export interface SampleFigures extends Uncertainty<'accuracy'>, Uncertainty<'mean_reward'> {
  samples: number;
  correct: number;
  errors: number;
  accuracy: number | null;
  mean_reward: number | null;
  /** Named scores of a group, by name; absent if there are none, and for all samples of an environment class. */
  scores?: Record<string, ScoreFigure>;
}

/** Counts of groups that are not listed, because others have more samples. */
export interface OtherGroups extends Pick<SampleFigures, 'samples' | 'correct' | 'errors'> {
  groups: number;
}

/** What a reducer makes of the judged epochs of each sample, as the mean over samples. */
export interface ReducedFigure {
  /** Samples with enough judged epochs. */
  samples: number;
  /** Null if there are none. */
  mean: number | null;
  stderr: number | null;
  interval: [number, number] | null;
  /** Samples of which several answers were the most frequent, so that the first seen decided; of `mode`. */
  ties?: number;
}

/** Mean of a score in the samples so far, with an interval that holds however often it is looked at. */
export interface Known {
  score: string;
  /** Samples up to the first one that is not finished, without those that could not be judged. */
  samples: number;
  /** Mean, or mean difference from `against`, paired by sample. */
  estimate: number;
  /** At 95 %. */
  interval: [number, number];
  /** Folder of the run that it is compared with; absent: none. */
  against?: string;
}

/** Figures of one environment class. */
export interface TaskMetrics extends SampleFigures {
  /** Counts of multiple choice, by target letter, then by answered letter (`none`: no letter). */
  confusion?: Record<string, Record<string, number>>;
}
/** Content of a run's `metrics.json`. Its errors are samples whose last trial is an error row. */
export interface Metrics
  extends ExperimentMetrics<'run'>,
    Uncertainty<'accuracy'>,
    Uncertainty<'mean_reward'>,
    Partial<Uncertainty<'mean_over_trials'>> {
  model: string;
  agent: string;
  seed: number;
  /**
   * Sentences for people on what the config meant: the order of samples, what each prompt could show, and what the
   * accuracy refers to.
   */
  in_words: string[];
  /**
   * Maximum that any prompt could show of how answers were judged: the right answers, whether answers were right,
   * nothing, or unknown (a user's agent, texts of a loaded memory).
   */
  feedback_in_prompts: 'full' | 'outcome' | 'none' | 'unknown';
  /** True if similar tasks were chosen by how they were judged; absent if not. */
  examples_chosen_by_label?: true;
  /** Feedback that the memory keeps: with the gold target, without it, or none. */
  feedback_in_memory: 'full' | 'outcome' | 'none';
  /** Independent repetitions of each sample, which count as samples of their own; absent with one. */
  epochs?: number;
  /** Figures over the epochs of a sample, by reducer (`metrics.reducers`); absent with one epoch. */
  reducers?: Record<string, ReducedFigure>;
  /** The same of each true or false score by a scorer, by its name; absent with one epoch, or if there are none. */
  score_reducers?: Record<string, Record<string, ReducedFigure>>;
  /** Samples with at least one finished episode, and the number of samples to visit. */
  samples: number;
  samples_planned: number;
  episodes: number;
  /** Trial of a sample that `correct` and `accuracy` refer to: with `any_trial` a success is the sample's last one. */
  accuracy_of: 'only_trial' | 'last_trial' | 'any_trial';
  /** Samples whose last trial succeeded. */
  correct: number;
  /** Ratio correct / (samples − errors); null if nothing could be judged. */
  accuracy: number | null;
  /** Knowledge by which `limits.stop_when` ends the run; absent without it, or if no sample is judged. */
  known?: Known;
  /** Share, by trial t, of the judged samples whose newest trial up to t succeeded. */
  success_by_trial: (number | null)[];
  success_by_trial_stderr: (number | null)[];
  success_by_trial_interval: ([number, number] | null)[];
  correct_by_trial: number[];
  /**
   * Judged trials, and the share of them that succeeded; absent with one trial, or if a success ends a sample's trials.
   */
  trials_judged?: number;
  mean_over_trials?: number | null;
  mean_reward: number | null;
  /** Field of the rows' metadata whose values are the clusters of all standard errors; absent: samples are. */
  clustered_by?: string;
  /** Scores of the last trials by the run's scorers, and numeric fields of their feedback's `extra`, by name; absent if
   * there are none. */
  scores?: Record<string, ScoreFigure>;
  /** Judged samples that a scorer gave no score, by its name; absent if there are none. */
  unscored?: Record<string, number>;
  /** Agreement of scores with the labels of the dataset, by scorer; absent without labels. */
  agreement?: Record<string, Agreement>;
  /** Calls by their purpose; absent if all are of one. */
  calls_by_purpose?: Record<string, Pick<CallFigures, 'lm_calls' | 'usage' | 'cost_usd'>>;
  /** Figures by field (`metrics.by`) and value, of the groups with the most samples; absent without fields. */
  by?: Record<string, Record<string, SampleFigures>>;
  /** Further groups by field; absent if all are in `by`. */
  by_others?: Record<string, OtherGroups>;
  /** Sentences on figures that could not be computed as configured; absent if there are none. */
  figure_warnings?: string[];
  /** Warnings of all rows, such as a reflection that failed. */
  warnings: number;
  /** Text of the first warning; absent if there is none. */
  first_warning?: string;
  /** Changes of the user's own code, or of prices, during the run; absent if none. */
  code_changes?: CodeChange[];
  /** Programs run in the sandbox, and how many of them failed; absent if none. */
  code_executions?: number;
  code_executions_failed?: number;
  /** Counts of the agent, added up over the episodes. */
  agent_metrics?: Record<string, number>;
  /** True if the curator of the Dynamic Cheatsheet was shown how answers were judged. */
  curator_sees_feedback?: boolean;
  /** Texts that were embedded for retrieval, and their cost; absent if none. */
  embeddings?: EmbeddingTotals;
  /** Calls answered from the shared cache. */
  lm_calls_cached: number;
  by_task: Record<string, TaskMetrics>;
}
/** Line of a part file: an episode with its calls, or the final memory of a shared lane or of a sample. */
export type PartLine =
  | {
      kind: 'episode';
      index: number;
      trial: number;
      row: ResultRow;
      calls: CallRecord[];
      executions?: ExecutionRecord[];
      /** Steps with their observations; the row lists them only if there are several. */
      steps: StepRecord[];
    }
  | {
      kind: 'memory';
      index: number;
      sample_id: string;
      memory: JsonObject;
      /** Entries of a sample's own memory. Those of a shared one are in the run's journal. */
      entries?: JournalEntry[];
    };
