import type { Limits } from '../../contracts/experiment.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics, RunStatus } from '../../contracts/results.js';
import type { LeaveToAsk, StepCost } from '../../contracts/step-cost.js';

/** The input of the workflow `own-kind`: what a config says, or `config_path` (a file on the worker). */
export type OwnKindInput = JsonObject;

/** A score so far: its sum over the samples that have it, and whether all of them said true or false. */
interface ScoreSum {
  sum: number;
  samples: number;
  is_share: boolean;
}

/** By the score's name. */
export type ScoreSums = Record<string, ScoreSum>;

/** What `prepareOwnKind` found out; small, because it stands in a history. */
export interface OwnKindPlan {
  /** What activities are handed: the experiment's folder and this execution; see `runReference`. */
  run: string;
  /** URI of the folder, and its name. */
  artifacts: string;
  experiment: string;
  name: string;
  /** What the kind calls itself. */
  kind_name: string;
  /** By role: `provider/model`, and how long a request may take and be repeated. */
  models: Record<string, { model: string; timeout_sec: number; max_attempts: number }>;
  simulated: boolean;
  samples: number;
  /** Those with a row, and their scores; how many have an error is known when they were tried again. */
  finished: number[];
  scores: ScoreSums;
  concurrency: number;
  work_timeout_sec: number;
  limits: Limits;
  search_attributes: string[];
  spent_wall_seconds: number;
  /** What earlier executions have spent. */
  spent: StepCost;
  /** Replies that are stored are found before anything is asked: none is to be looked for. */
  stored: 0;
}

/** Names a sample of an experiment, from 0 in the order of the dataset. */
export interface SampleName {
  run: string;
  sample: number;
}

export interface WorkOnSampleInput extends SampleName {
  /** Calls that this execution has heard an answer to: the first so many of the sample's. */
  answered: number;
}

/** What came of running the kind's code on a sample with the replies that are there. */
export type SampleWorked =
  | { kind: 'ended'; scores: Record<string, number | boolean> }
  /** It waits for replies; `asked` counts all calls that it has made so far, the answered ones included. */
  | { kind: 'asks'; asked: number; due: { ordinal: number; role: string }[] };

export interface AskForSampleInput extends SampleName, LeaveToAsk {
  /** Of the call, from 0 in the order in which the kind's code asks. */
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

/** The answer of the `progress` query; units are samples. */
export interface OwnKindProgress extends ExperimentProgress<'own-kind', OwnKindMetrics> {
  kind_name: string;
  scores: Record<string, { mean: number; is_share: boolean }>;
}

export interface FinalizeOwnKindInput {
  plan: OwnKindPlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** What this workflow has worked, where its time has a limit; else the time from its start to its end is taken for that. */
  worked_seconds?: number;
}

/** A row of `results.jsonl`: what the kind made of the sample, and what is known of every sample. */
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

/** A score over the samples that have it. */
export interface ScoreFigure {
  samples: number;
  mean: number;
  /** 95 %, from a bootstrap over samples; null where fewer than two have it. */
  interval: [number, number] | null;
  /** Every sample said true or false: the mean is a share. */
  is_share: boolean;
}

/** The content of `metrics.json`. Means leave out samples without a row, which are counted apart. */
export interface OwnKindMetrics extends ExperimentMetrics<'own-kind'> {
  kind_name: string;
  /** `provider/model` by role. */
  models: Record<string, string>;
  samples_planned: number;
  /** Samples with a row. */
  samples: number;
  scores: Record<string, ScoreFigure>;
  /** What the kind makes of all rows. */
  figures: Record<string, number>;
  /** Why there are none; absent: there are, or the kind makes none. */
  figures_error?: string;
  /** The kind's code, or a price, changed while the experiment was under way. */
  code_changes: { at: string; samples: number; modules: string[] }[];
}

export interface OwnKindResult {
  artifacts: string;
  metrics: OwnKindMetrics;
}

/** Activities of an experiment of a user's own kind. Every one may be repeated. */
export interface OwnKindActivities {
  prepareOwnKind(input: OwnKindInput): Promise<OwnKindPlan>;
  /** Runs the kind's code on a sample with the replies that are there, and keeps its row where it ends. */
  workOnSample(input: WorkOnSampleInput): Promise<SampleWorked>;
  /** Asks what the kind's code asks; the reply is in the store. */
  askForSample(input: AskForSampleInput): Promise<StepCost>;
  /** Notes why a sample was given up, for the artifacts. */
  recordSampleError(input: SampleErrorInput): Promise<void>;
  finalizeOwnKind(input: FinalizeOwnKindInput): Promise<OwnKindMetrics>;
}
