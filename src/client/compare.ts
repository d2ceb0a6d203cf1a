import type { ComparedExperiment } from '../activities/compared-experiment.js';
import {
  configDifferences,
  type Difference,
  differencesIn,
  unexpectedDifferences,
} from '../config/differences.js';
import { LETTERS } from '../grading/choices.js';
import {
  type ComparisonOptions,
  compareExperiments,
  type ExperimentComparison,
  type ScoreComparison,
} from '../statistics/comparison.js';
import { holm } from '../statistics/paired-tests.js';

/** Rounding of a difference that is exactly as large as `--fail-if-worse` allows. */
const ROUNDING = 1e-12;

/** An experiment as the terminal and programs see it, without its rows. */
export type ShownExperiment = Omit<
  ComparedExperiment,
  'samples' | 'figures' | 'config' | 'pace' | 'incidental' | 'modules'
> & { letter: string; samples: number };

/** Comparison of one experiment with the baseline. */
export interface ShownComparison extends Omit<ExperimentComparison, 'scores'> {
  experiment: string;
  letter: string;
  scores: (ScoreComparison & {
    /** The p-value, corrected for the number of experiments by Holm's method; absent with one comparison. */
    p_value_holm?: number;
  })[];
  /** Fields of the configs, and modules of users' code, that differ; and those that were not to be expected. */
  differences: Difference[];
  unexpected: string[];
  /** With `--fail-if-worse`: whether the first score is worse by more than that, or has no pair; else absent. */
  failed?: boolean;
}

export interface Comparison {
  /** The baseline is the first one. */
  experiments: ShownExperiment[];
  comparisons: ShownComparison[];
  /** Number of comparisons that the p-values of a score are corrected for. */
  corrected_for: number;
}

/** Returns the fields and modules that differ, and those of them that were not to be expected. */
function differencesOf(
  baseline: ComparedExperiment,
  other: ComparedExperiment,
  vary: readonly string[],
): Pick<ShownComparison, 'differences' | 'unexpected'> {
  const fields =
    baseline.kind === other.kind
      ? configDifferences(baseline.config, other.config, baseline.pace)
      : [{ field: 'kind', baseline: baseline.kind, other: other.kind }];
  const differences = [...fields, ...differencesIn(baseline.modules, other.modules, 'code.')];
  const unexpected = unexpectedDifferences(differences, [...vary, ...baseline.incidental]);
  // One difference is what an experiment is made for.
  return { differences, unexpected: vary.length === 0 && unexpected.length === 1 ? [] : unexpected };
}

function shownExperiment(experiment: ComparedExperiment, index: number): ShownExperiment {
  const { samples, figures: _figures, config: _config, pace: _pace, ...shown } = experiment;
  const { incidental: _incidental, modules: _modules, ...rest } = shown;
  return { letter: LETTERS[index] as string, ...rest, samples: samples.size };
}

/** Corrects the p-values of each score for the number of experiments that have it. */
function withHolm(comparisons: ShownComparison[]): void {
  const byScore = new Map<string, ShownComparison['scores']>();
  for (const one of comparisons.flatMap(({ scores }) => scores)) {
    const name = `${one.trials} ${one.score}`;
    if (one.test !== null) byScore.set(name, [...(byScore.get(name) ?? []), one]);
  }
  for (const scores of byScore.values()) {
    const corrected = holm(scores.map(({ test }) => test?.p_value ?? 1));
    for (const [index, score] of scores.entries()) score.p_value_holm = corrected[index] as number;
  }
}

/** Compares experiments with the first one. @param margin largest decline that is allowed; null: none was given */
export function compareAll(
  experiments: readonly ComparedExperiment[],
  options: ComparisonOptions,
  { vary, margin }: { vary: readonly string[]; margin: number | null },
): Comparison {
  const [baseline, ...others] = experiments as [ComparedExperiment, ...ComparedExperiment[]];
  const comparisons = others.map((other, index): ShownComparison => {
    const compared = compareExperiments(baseline, other, options);
    const difference = compared.scores[0]?.difference ?? null;
    const failed = difference === null || difference < -(margin ?? 0) - ROUNDING;
    return {
      experiment: other.experiment,
      letter: LETTERS[index + 1] as string,
      ...compared,
      ...differencesOf(baseline, other, vary),
      ...(margin === null ? {} : { failed }),
    };
  });
  if (comparisons.length > 1) withHolm(comparisons);
  return {
    experiments: experiments.map(shownExperiment),
    comparisons,
    corrected_for: comparisons.length,
  };
}
