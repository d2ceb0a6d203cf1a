import type { Limits, ReceivedRequests } from '../../contracts/experiment.js';
import type { JsonObject } from '../../contracts/json.js';
import type { ExperimentProgress } from '../../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics, RunStatus } from '../../contracts/results.js';
import type { RequestGrant, StepCost } from '../../contracts/step-cost.js';
import type { Uncertainty } from '../../statistics/uncertainty.js';
import type { Criterion } from './schema.js';

/**
 * Input of the workflow `judge`: `experiment` (a folder's address), `rubric` (a file on the worker, or inline; default:
 * the one for agents), `lm`, and the other fields of `judgeConfigSchema`.
 */
export type JudgeInput = JsonObject;

/** Plan that `prepareJudge` returns; small, because it is part of a history. */
export interface JudgePlan {
  /** Reference for activities: the judgement's folder and this execution; see `runReference`. */
  run: string;
  /** URI of the judgement's folder. */
  artifacts: string;
  /** Name of the experiment's folder, and of the judgement's folder below it. */
  experiment: string;
  name: string;
  /** Model as `provider/model`. */
  model: string;
  simulated: boolean;
  criteria: Pick<Criterion, 'name' | 'range'>[];
  /** Number of steps of each trajectory, in the order of the file. */
  steps: number[];
  concurrency: number;
  timeout_sec: number;
  max_attempts: number;
  limits: Limits;
  search_attributes: string[];
  spent_wall_seconds: number;
  /** Cost of earlier executions, and the number of their stored replies. */
  spent: StepCost;
  stored: number;
  /** Workers run bundles of steps. Absent: each call is a step of the workflow. */
  grain?: 'unit';
  /** Sentences for people on how it is run. */
  means?: readonly string[];
}

/** Identity of a step of a judgement. */
export interface JudgeStepName {
  run: string;
  /** Index of the trajectory in the file, and of the step in the trajectory, from 0. */
  trajectory: number;
  step: number;
}

export interface JudgeStepInput extends JudgeStepName, RequestGrant {
  /** Number of the try, from 0; later prompts contain the faults of earlier replies. */
  attempt: number;
}

/** Result of a judge's reply for the workflow; the reply itself is in the store. */
export type JudgedStep = StepCost &
  (
    | { kind: 'judged'; scores: Record<string, number> }
    /** Reply without a readable verdict. */
    | { kind: 'malformed' }
  );

export interface JudgeStepErrorInput extends JudgeStepName {
  error: EpisodeError;
}

/** Cumulative totals of a judgement, including what earlier executions paid for the same replies. */
export interface JudgeTotals extends StepCost {
  /** Steps with a verdict, and steps that were given up. */
  judged: number;
  errors: number;
  /** Steps that were given up, by the type of their error; absent if none. */
  errors_by_type?: Record<string, number>;
  /** Replies without a readable verdict. */
  malformed: number;
  /** Sums of scores over the judged steps, by the criterion's name. */
  scores: Record<string, number>;
}

/** State that an execution of `judge` passes to the one that continues it. */
export interface JudgeCarried {
  plan: JudgePlan;
  /** Number of steps that were begun, in the order of the plan. */
  begun: number;
  /** Numbers of the steps that are left, where workers run bundles of them. */
  left?: number[];
  /** Start of the first execution, in milliseconds since 1970. */
  started_at: number;
  /** Seconds worked so far, if time is limited. */
  worked_seconds?: number;
  asked: ReceivedRequests;
  totals: JudgeTotals;
  /** Stored replies that were paid for earlier and not found yet. */
  stored: number;
}

/** Result of the `progress` query of a judgement; its units are steps. */
export interface JudgeProgress extends ExperimentProgress<'judge', JudgeMetrics> {
  /** Name of the judgement's folder, below the experiment's. */
  name: string;
  /** Sentences for people on how it is run. */
  means?: readonly string[];
  /** Mean scores by the criterion's name; null before the first verdict. */
  mean_scores: Record<string, number | null>;
  /** Replies without a readable verdict. */
  malformed_replies: number;
}

export interface FinalizeJudgeInput {
  plan: JudgePlan;
  status: RunStatus;
  message: string | null;
  /** Start and end, in milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow worked, if time is limited; default: the time from start to end. */
  worked_seconds?: number;
}

/** Score of a criterion over the judged steps. */
interface JudgedScore {
  mean: number | null;
  stderr: number | null;
  interval: [number, number] | null;
  range: [number, number];
}

/** Content of a judgement's `metrics.json`. Means exclude steps without a verdict, which are counted separately. */
export interface JudgeMetrics extends ExperimentMetrics<'judge'>, Uncertainty<'success_rate'> {
  model: string;
  rubric: string;
  /** True if the judge was shown rewards and outcomes. */
  show_reward: boolean;
  trajectories: number;
  steps_planned: number;
  /** Steps with a verdict. */
  steps: number;
  /**
   * Scores by the criterion's name, with its range: the mean over the steps with a verdict, equally weighted, its
   * standard error and its 95 % interval from a bootstrap over trajectories; null if there is none.
   */
  scores: Record<string, JudgedScore>;
  /** Trajectories that were judged as a whole, those of them that succeeded, and their share. */
  episodes_judged: number;
  episodes_succeeded: number;
  success_rate: number | null;
  malformed_replies: number;
}

export interface JudgeResult {
  artifacts: string;
  metrics: JudgeMetrics;
}

/** Activities of a judgement. Each may be repeated. */
export interface JudgeActivities {
  prepareJudge(input: JudgeInput): Promise<JudgePlan>;
  judgeStep(input: JudgeStepInput): Promise<JudgedStep>;
  recordJudgeError(input: JudgeStepErrorInput): Promise<void>;
  finalizeJudge(input: FinalizeJudgeInput): Promise<JudgeMetrics>;
}
