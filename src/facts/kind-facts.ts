import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Fact } from './fact.js';
import { closingFacts, openingFacts } from './frame.js';

/** Fields of a progress that are specific to its kind; of an unknown kind, any object. */
type Own<Progress extends ExperimentProgress> = [Progress] extends [never]
  ? object
  : Omit<Progress, Exclude<keyof ExperimentProgress, 'models' | 'units'>>;

/** Counts of the judged units of an experiment. */
export interface Judged {
  /** Singular of the counted unit, such as `sample`. */
  what: string;
  judged: number;
  /** Units that could not be judged. */
  errors: number;
  /** All units that were attempted, errors included. */
  of: number;
}

/** Facts that are specific to a kind; pure, since workflows use them as well. */
export interface KindFacts<Progress extends ExperimentProgress = never> {
  /** Returns the facts that only this kind has, in order. */
  facts(progress: Progress): readonly Fact[];
  /** Returns this kind's own fields of the progress, from its metrics. */
  atEnd(metrics: NonNullable<Progress['metrics']>): Own<Progress>;
  judged(metrics: NonNullable<Progress['metrics']>): Judged;
}

/** Casts a kind's facts: the caller passes a progress or metrics of that kind. */
const untyped = (kind: KindFacts) => kind as unknown as KindFacts<ExperimentProgress>;

/** Result of an experiment's workflow, for every kind. */
export interface Ended {
  artifacts: string;
  metrics: ExperimentMetrics;
}

/** Returns all facts of an experiment, in order: every place that shows an experiment uses them. */
export function factsOf(progress: ExperimentProgress, kind: KindFacts): Fact[] {
  return [...openingFacts(progress), ...untyped(kind).facts(progress), ...closingFacts(progress)];
}

/** Counts what of an experiment could be judged, and what could not. */
export function judgedOf(metrics: ExperimentMetrics, kind: KindFacts): Judged {
  return untyped(kind).judged(metrics);
}

/** Converts the result of an ended experiment to its final progress. */
export function progressAtEnd({ artifacts, metrics }: Ended, own: KindFacts): ExperimentProgress {
  const { experiment, kind, status, status_message, simulated, errors, errors_by_type, ...rest } = metrics;
  const { lm_calls, usage, cost_usd, lm_calls_cut_off, lm_calls_estimated, unrecorded } = rest;
  const { lm_calls_repeated, lm_calls_maybe_repeated } = rest;
  return {
    kind,
    experiment,
    phase: status,
    message: status_message,
    artifacts,
    simulated,
    errors,
    errors_by_type,
    spending: {
      lm_calls,
      usage,
      cost_usd,
      lm_calls_cut_off,
      lm_calls_estimated,
      unrecorded,
      lm_calls_repeated,
      lm_calls_maybe_repeated,
    },
    limits: null,
    concurrency: 0,
    pace: null,
    metrics,
    ...untyped(own).atEnd(metrics),
  };
}
