import type { Limits } from '../../contracts/experiment.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics, RunStatus } from '../../contracts/results.js';
import type { RequestGrant, StepCost } from '../../contracts/step-cost.js';
import type { ScoreFigure } from '../../statistics/score-tally.js';

/** Input of the workflow `own-kind`: the config itself, or `config_path` (a file on the worker). */
export type OwnKindInput = JsonObject;

/** Sum of a score over the samples that have it so far. `is_share`: all of them are true or false. */
interface ScoreSum {
  sum: number;
  samples: number;
  is_share: boolean;
}

/** Sums of scores, by the score's name. */
export type ScoreSums = Record<string, ScoreSum>;

/** Result of `prepareOwnKind`; small, because it is part of the workflow's history. */
export interface OwnKindPlan {
  /** Reference to the experiment's folder and this execution, for activities; see `runReference`. */
  run: string;
  /** URI of the folder, and its name. */
  artifacts: string;
  experiment: string;
  name: string;
  /** Name that the kind gives itself. */
  kind_name: string;
  /** Models by role: `provider/model`, and the timeout and maximum attempts of a request. */
  models: Record<string, { model: string; timeout_sec: number; max_attempts: number }>;
  simulated: boolean;
  samples: number;
  /** Samples with a row, and their scores. Those with an error are counted once they have been tried again. */
  finished: number[];
  scores: ScoreSums;
  concurrency: number;
  work_timeout_sec: number;
  limits: Limits;
  search_attributes: string[];
  spent_wall_seconds: number;
  /** Cost of earlier executions. */
  spent: StepCost;
  /** Always 0: stored replies are found before any request is made, so none are left to look for. */
  stored: 0;
  /** Workers run bundles of samples. Absent: each call is a step of the workflow. */
  grain?: 'unit';
  /** Sentences for people on how it is run. */
  means?: readonly string[];
}

/** Name of a sample of an experiment, from 0 in the order of the dataset. */
export interface SampleName {
  run: string;
  sample: number;
}

export interface WorkOnSampleInput extends SampleName {
  /** Number of calls, from the sample's first on, whose replies this execution has received. */
  answered: number;
}

/** Result of running the kind's code on a sample with the stored replies. */
export type SampleWorked =
  /** `cost` is that of its calls where its row was stored before, and nothing else counts them. */
  | { kind: 'ended'; scores: Record<string, number | boolean>; cost?: StepCost }
  /** It waits for replies; `asked` counts all calls that it has made so far, the answered ones included. */
  | { kind: 'asks'; asked: number; due: { ordinal: number; role: string }[] };

export interface AskForSampleInput extends SampleName, RequestGrant {
  /** Index of the call, from 0 in the order in which the kind's code makes them. */
  ordinal: number;
}

export interface SampleErrorInput extends SampleName {
  error: EpisodeError;
}

export interface OwnKindTotals extends StepCost {
  /** Samples with a row. */
  ended: number;
  errors: number;
  errors_by_type?: Record<string, number>;
  scores: ScoreSums;
}

/** Result of the `progress` query; units are samples. */
export interface OwnKindProgress extends ExperimentProgress<'own-kind', OwnKindMetrics> {
  kind_name: string;
  /** Sentences for people on how it is run. */
  means?: readonly string[];
  scores: Record<string, { mean: number; is_share: boolean }>;
}

export interface FinalizeOwnKindInput {
  plan: OwnKindPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow has worked, if its time has a limit. Default: the time from start to end. */
  worked_seconds?: number;
}

/** A row of `results.jsonl`: the fields of the kind's row, and those that every sample has. */
export type OwnKindRow = { [field: string]: Json } & {
  id: string;
  question: string;
  target: string | null;
  scores: Record<string, number | boolean>;
  error: { type: string; message: string } | null;
  lm_calls: number;
  usage: { input_tokens: number; output_tokens: number };
  cost_usd: number | null;
};

/** Content of `metrics.json`. Means exclude samples without a row, which are counted separately. */
export interface OwnKindMetrics extends ExperimentMetrics<'own-kind'> {
  kind_name: string;
  /** `provider/model` by role. */
  models: Record<string, string>;
  samples_planned: number;
  /** Samples with a row. */
  samples: number;
  scores: Record<string, ScoreFigure>;
  /** Figures that the kind computes from all rows. */
  figures: Record<string, number>;
  /** Reason why there are no figures; absent: there are, or the kind computes none. */
  figures_error?: string;
  /** Changes of the kind's code, or of a price, while the experiment was in progress. */
  code_changes: { at: string; samples: number; modules: string[] }[];
}

export interface OwnKindResult {
  artifacts: string;
  metrics: OwnKindMetrics;
}

/** Activities of an experiment of a user's own kind. Every one may be repeated. */
export interface OwnKindActivities {
  prepareOwnKind(input: OwnKindInput): Promise<OwnKindPlan>;
  /** Runs the kind's code on a sample with the stored replies, and stores its row if it ends. */
  workOnSample(input: WorkOnSampleInput): Promise<SampleWorked>;
  /** Makes a call of the kind's code; the reply is in the store. */
  askForSample(input: AskForSampleInput): Promise<StepCost>;
  /** Records why a sample was given up, for the artifacts. */
  recordSampleError(input: SampleErrorInput): Promise<void>;
  finalizeOwnKind(input: FinalizeOwnKindInput): Promise<OwnKindMetrics>;
}
