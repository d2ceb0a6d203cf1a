import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Fact } from './fact.js';
import { closingFacts, openingFacts } from './frame.js';

/** What of an answer is not the same for all kinds; of one whose kind is not known, some of it. */
type Own<Progress extends ExperimentProgress> = [Progress] extends [never]
  ? object
  : Omit<Progress, Exclude<keyof ExperimentProgress, 'models' | 'units'>>;

/** How much of an experiment came to a figure. */
export interface Judged {
  /** What is counted, as of one: `sample`, for one. */
  what: string;
  judged: number;
  /** What could not be judged. */
  errors: number;
  /** Those, and whatever else was gone through. */
  of: number;
}

/** What a kind says of an experiment of its own; pure, since workflows say it as well. */
export interface KindFacts<Progress extends ExperimentProgress = never> {
  /** What of its progress no other kind has, in order. */
  facts(progress: Progress): readonly Fact[];
  /** The same part of its progress, as its metrics know it. */
  atEnd(metrics: NonNullable<Progress['metrics']>): Own<Progress>;
  judged(metrics: NonNullable<Progress['metrics']>): Judged;
}

/** A kind's for whoever knows of none: what it is given says which it is for. */
const untyped = (kind: KindFacts) => kind as unknown as KindFacts<ExperimentProgress>;

/** What the workflow of an experiment ends with, whatever its kind. */
export interface Ended {
  artifacts: string;
  metrics: ExperimentMetrics;
}

/** All that is to be known of an experiment, in order: every place that shows it draws it from these. */
export function factsOf(progress: ExperimentProgress, kind: KindFacts): Fact[] {
  return [...openingFacts(progress), ...untyped(kind).facts(progress), ...closingFacts(progress)];
}

/** What of an experiment could be judged, and what could not. */
export function judgedOf(metrics: ExperimentMetrics, kind: KindFacts): Judged {
  return untyped(kind).judged(metrics);
}

/** How far an experiment is that has ended, as its result says it. */
export function progressAtEnd({ artifacts, metrics }: Ended, own: KindFacts): ExperimentProgress {
  const { experiment, kind, status, status_message, simulated, errors, errors_by_type, ...rest } = metrics;
  const { lm_calls, usage, cost_usd, lm_calls_estimated, unkept } = rest;
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
      lm_calls_estimated,
      unkept,
      lm_calls_repeated,
      lm_calls_maybe_repeated,
    },
    limits: null,
    concurrency: 0,
    metrics,
    ...untyped(own).atEnd(metrics),
  };
}
