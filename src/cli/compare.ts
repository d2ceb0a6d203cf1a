import type { Command } from 'commander';
import { type ComparedExperiment, comparedParts, readCompared } from '../activities/compared-experiment.js';
import { type Comparison, compareAll } from '../client/compare.js';
import { InvalidInputError } from '../config/errors.js';
import { assignmentOfModel } from '../config/model-roles.js';
import { LETTERS } from '../grading/choices.js';
import { kindOf } from '../kinds/registry.js';
import { type ComparisonOptions, clusterNamed, scoreNames } from '../statistics/comparison.js';
import { artifactKeys } from '../storage/paths.js';
import { comparisonText, worseText } from './compare-text.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { numberOrPercent } from './exit-code.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { printJson, printText, sayText } from './print.js';

interface Options {
  by: string[];
  score?: string;
  vary: string[];
  failIfWorse?: string;
  all?: boolean;
  resultsDir?: string;
  json?: boolean;
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
    for (const part of (await comparedParts(store)) ?? [store]) {
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

/** Returns fields as whole configs of the experiments name them: the model of the main role has two names. */
async function storedNames(
  fields: readonly string[],
  [baseline]: readonly ComparedExperiment[],
): Promise<string[]> {
  const kind = fields.length === 0 ? undefined : await kindOf(baseline?.kind ?? '')?.kind();
  if (kind === undefined) return [...fields];
  return fields.map((field) => assignmentOfModel(`${field}=`, kind.config.models).slice(0, -1));
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

/** Parses the largest decline with which the command succeeds; null where none was given. */
function marginOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const margin = numberOrPercent(text);
  if (margin !== null) return margin;
  throw new InvalidInputError(
    `--fail-if-worse: ${JSON.stringify(text)} is no margin; give a number such as 0.02, or 2%`,
  );
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
    .action(async (ids: string[], { by, score, vary: named, ...options }: Options) => {
      const margin = marginOf(options.failIfWorse);
      const experiments = await readAll(ids, options.resultsDir);
      const cluster = clusterNamed(experiments.map(({ config }) => config));
      const names = { by, score: score ?? null, cluster };
      checkNames(experiments, names);
      const vary = await storedNames(named, experiments);
      const comparison = compareAll(experiments, names, { vary, margin });
      if (options.json) printJson(comparison);
      else printText(comparisonText(comparison, { all: options.all === true, vary }));
      if (margin !== null) for (const line of worseText(comparison, margin)) sayText(line);
      finish(exitCode(comparison));
    });
}
