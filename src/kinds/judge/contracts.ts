import type { Asked, Limits } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics, RunStatus } from '../../contracts/results.js';
import type { LeaveToAsk, StepCost } from '../../contracts/step-cost.js';
import type { Criterion } from './schema.js';

/**
 * The input of the workflow `judge`: `experiment` (a folder's address), `rubric` (a file on the worker, or the rubric
 * itself; an agent's where there is none), `lm`, and what else `judgeConfigSchema` has.
 */
export type JudgeInput = JsonObject;

/** What `prepareJudge` found out; small, because it stands in a history. */
export interface JudgePlan {
  /** What activities are handed: the judgement's folder and this execution; see `runReference`. */
  run: string;
  /** URI of the judgement's folder. */
  artifacts: string;
  /** Name of the experiment's folder, and of the judgement's below it. */
  experiment: string;
  name: string;
  /** `provider/model`. */
  model: string;
  simulated: boolean;
  criteria: Pick<Criterion, 'name' | 'range'>[];
  /** Steps of each trajectory, in the order of the file. */
  steps: number[];
  concurrency: number;
  timeout_sec: number;
  max_attempts: number;
  limits: Limits;
  search_attributes: string[];
  spent_wall_seconds: number;
  /** What earlier executions have spent, and how many replies of theirs are stored. */
  spent: StepCost;
  stored: number;
}

/** Names a step of a judgement. */
export interface JudgeStepName {
  run: string;
  /** From 0, in the order of the file; `step` within the trajectory. */
  trajectory: number;
  step: number;
}

export interface JudgeStepInput extends JudgeStepName, LeaveToAsk {
  /** From 0; a later try is told what was wrong with those before it. */
  attempt: number;
}

/** What a workflow learns of a judge's reply; the reply is in the store. */
export type JudgedStep = StepCost &
  (
    | { kind: 'judged'; scores: Record<string, number> }
    /** It is no verdict that can be read. */
    | { kind: 'malformed' }
  );

export interface JudgeStepErrorInput extends JudgeStepName {
  error: EpisodeError;
}

/** Of a judgement, with what earlier executions paid for the same replies. Cumulative. */
export interface JudgeTotals extends StepCost {
  /** Steps with a verdict, and those that were given up. */
  judged: number;
  errors: number;
  /** Those that were given up, by the type of their error; absent: none. */
  errors_by_type?: Record<string, number>;
  /** Replies that were no verdict. */
  malformed: number;
  /** Sums over the judged steps, by the criterion's name. */
  scores: Record<string, number>;
}

/** What an execution of `judge` hands to the one that continues it. */
export interface JudgeCarried {
  plan: JudgePlan;
  /** Steps that were begun, in the order of the plan. */
  begun: number;
  /** Milliseconds since 1970; of the first execution. */
  started_at: number;
  /** What it has worked so far, where its time has a limit. */
  worked_seconds?: number;
  asked: Asked;
  totals: JudgeTotals;
  /** Replies that were paid for before and not found yet. */
  stored: number;
}

/** The answer of the `progress` query of a judgement; its units are steps. */
export interface JudgeProgress extends ExperimentProgress<'judge', JudgeMetrics> {
  /** Of the judgement's folder, below the experiment's. */
  name: string;
  /** By the criterion's name; null before the first verdict. */
  mean_scores: Record<string, number | null>;
  /** Replies that were no verdict. */
  malformed_replies: number;
}

export interface FinalizeJudgeInput {
  plan: JudgePlan;
  status: RunStatus;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** What this workflow has worked, where its time has a limit; else the time from its start to its end is taken for that. */
  worked_seconds?: number;
}

/** The content of a judgement's `metrics.json`. Means leave out steps without a verdict, which are counted apart. */
export interface JudgeMetrics extends ExperimentMetrics<'judge'> {
  model: string;
  rubric: string;
  /** Whether the judge was told rewards and outcomes. */
  show_reward: boolean;
  trajectories: number;
  steps_planned: number;
  /** Steps with a verdict. */
  steps: number;
  /**
   * By the criterion's name, with its range: the mean over the steps with a verdict, each alike, and its 95 % interval from
   * a bootstrap over trajectories; null where there is none.
   */
  scores: Record<string, { mean: number | null; interval: [number, number] | null; range: [number, number] }>;
  /** Trajectories of which is known whether the whole was a success, and those that were; the share and its interval. */
  episodes_judged: number;
  episodes_succeeded: number;
  success_rate: number | null;
  success_rate_interval: [number, number] | null;
  malformed_replies: number;
}

export interface JudgeResult {
  artifacts: string;
  metrics: JudgeMetrics;
}

/** Activities of a judgement. Every one may be repeated. */
export interface JudgeActivities {
  prepareJudge(input: JudgeInput): Promise<JudgePlan>;
  judgeStep(input: JudgeStepInput): Promise<JudgedStep>;
  /** Notes why a step could not be judged, for the artifacts. */
  recordJudgeError(input: JudgeStepErrorInput): Promise<void>;
  finalizeJudge(input: FinalizeJudgeInput): Promise<JudgeMetrics>;
}
