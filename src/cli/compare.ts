import type { Command } from 'commander';
import { type ComparedExperiment, partsOf, readCompared } from '../activities/compared-experiment.js';
import {
  configDifferences,
  type Difference,
  differencesIn,
  unexpectedDifferences,
} from '../config/differences.js';
import { InvalidInputError } from '../config/errors.js';
import {
  type ComparisonOptions,
  compareExperiments,
  type ExperimentComparison,
  type ScoreComparison,
  scoreNames,
} from '../statistics/comparison.js';
import { holm } from '../statistics/paired-tests.js';
import { artifactKeys } from '../storage/paths.js';
import { comparisonText, worseText } from './compare-text.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { numberOrPercent } from './exit-code.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { printJson, printText, sayText } from './print.js';

/** Letters that stand for the experiments in the terminal. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Rounding of a difference that is exactly as large as `--fail-if-worse` allows. */
const ROUNDING = 1e-12;

interface Options {
  by: string[];
  score?: string;
  vary: string[];
  failIfWorse?: string;
  all?: boolean;
  resultsDir?: string;
  json?: boolean;
}

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

/** @throws InvalidInputError where an experiment is named twice. */
async function readAll(
  ids: readonly string[],
  resultsDir: string | undefined,
): Promise<ComparedExperiment[]> {
  const [first] = ids;
  const experiments: ComparedExperiment[] = [];
  for (const id of ids) {
    const store = await findExperiment(id, {
      folders: resultsFolders(resultsDir),
      file: artifactKeys.config,
      kind: 'experiment',
    });
    // An experiment that consists of others stands for them.
    for (const part of (await partsOf(store)) ?? [store]) {
      if (experiments.some(({ artifacts }) => artifacts === part.uri)) {
        throw new InvalidInputError(`${id} is named twice; an experiment is compared with others`);
      }
      experiments.push(await readCompared(part));
    }
  }
  if (experiments.length < 2 || experiments.length > LETTERS.length) {
    throw new InvalidInputError(
      `compare takes from 2 to ${LETTERS.length} experiments, the baseline first: reprise compare ${first} OTHER`,
    );
  }
  return experiments;
}

/** Checks the names of scores and fields against what the rows have. @throws InvalidInputError */
function checkNames(experiments: readonly ComparedExperiment[], { by, score }: ComparisonOptions): void {
  const scores = new Set(experiments.flatMap((one) => [...scoreNames(one)]));
  if (score != null && !scores.has(score)) {
    throw new InvalidInputError(
      `--score: no row has the score '${score}'; there are: ${[...scores].join(', ') || 'none'}`,
    );
  }
  const samples = experiments.flatMap((one) => [...one.samples.values()]);
  const fields = new Set(samples.flatMap(({ metadata }) => Object.keys(metadata)));
  const unknown = (by ?? []).find((field) => !fields.has(field));
  if (unknown !== undefined) {
    throw new InvalidInputError(
      fields.size === 0
        ? `--by: no row has metadata; dataset.meta_fields names the fields of the dataset that rows keep`
        : `--by: no row has the field '${unknown}' in its metadata; there are: ${[...fields].join(', ')}`,
    );
  }
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

/** Parses the largest decline with which the command succeeds; null where none was given. */
function marginOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const margin = numberOrPercent(text);
  if (margin !== null) return margin;
  throw new InvalidInputError(
    `--fail-if-worse: ${JSON.stringify(text)} is no margin; give a number such as 0.02, or 2%`,
  );
}

function compareAll(
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

/** Returns the exit code: 1 where an experiment is worse than allowed, or nothing could be compared at all. */
function exitCode({ comparisons }: Comparison): number {
  const isEmpty = comparisons.every(({ scores }) => scores.every(({ pairs }) => pairs === 0));
  return isEmpty || comparisons.some(({ failed }) => failed === true) ? EXIT.failed : EXIT.done;
}

const gather = (value: string, before: string[]) => [...before, value];

export function addCompareCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('compare')
    .addHelpText(
      'after',
      examples('reprise compare baseline my-run', 'reprise compare baseline my-run --fail-if-worse 0.02'),
    )
    .argument('<id...>', 'experiments, by id or folder; the others are compared with the first one')
    .option('--by <field>', 'also by this field of the rows’ metadata; may be repeated', gather, [])
    .option('--score <name>', 'only this score, such as reward (default: all that both have)')
    .option('--vary <field>', 'a field or section that is meant to differ; may be repeated', gather, [])
    .option(
      '--fail-if-worse <margin>',
      'exit with 1 where an experiment is worse than the first by more than this, e.g. 0.02 or 2%',
    )
    .option('--all', 'list every changed sample, and every group')
    .option(...RESULTS_DIR)
    .option('--json', 'for machines')
    .action(async (ids: string[], { by, score, vary, ...options }: Options) => {
      const margin = marginOf(options.failIfWorse);
      const experiments = await readAll(ids, options.resultsDir);
      const names = { by, score: score ?? null };
      checkNames(experiments, names);
      const comparison = compareAll(experiments, names, { vary, margin });
      if (options.json) printJson(comparison);
      else printText(comparisonText(comparison, { all: options.all === true, vary }));
      if (margin !== null) for (const line of worseText(comparison, margin)) sayText(line);
      finish(exitCode(comparison));
    });
}
