import { checkModels } from '../../activities/check-model.js';
import { type CarriedOut, type Carry, sayExit } from '../../cli/carry-out.js';
import { EXIT } from '../../cli/exit.js';
import { exitOf } from '../../cli/exit-code.js';
import { isAddress } from '../../cli/find-experiment.js';
import { shellWord } from '../../cli/format.js';
import { printJson, printText, sayText } from '../../cli/print.js';
import { InvalidInputError } from '../../config/errors.js';
import { resolveConfig } from '../../config/load.js';
import type { Ended } from '../../facts/kind-facts.js';
import { shownAddress } from '../../storage/shown-address.js';
import { judgeConfigs } from '../judge/config.js';
import type { JudgeConfig } from '../judge/schema.js';
import type { CommandOptions } from '../kind.js';

/** Options of an evaluation that concern its judge. */
export interface JudgeOptions extends Pick<CommandOptions, 'set' | 'detach'> {
  judge?: string;
  rubric?: string;
}

const OF_THE_JUDGE = 'judge.';

/** Returns the assignments to fields of the judge, with names as in the judge's config. */
function judgeOverrides(set: readonly string[]): string[] {
  return set.filter((one) => one.startsWith(OF_THE_JUDGE)).map((one) => one.slice(OF_THE_JUDGE.length));
}

/** Returns the assignments to fields of the evaluation. */
export function evaluationOverrides(set: readonly string[]): string[] {
  return set.filter((one) => !one.startsWith(OF_THE_JUDGE));
}

/** Function that returns the config of the judge for an experiment's folder. */
type JudgeOf = (experiment: string) => JudgeConfig;

/**
 * Determines the judge of an evaluation, and checks all that can be checked before the evaluation begins.
 * @returns null if there is no judge.
 * @throws InvalidInputError that names the option.
 */
export async function evaluationJudge(
  { judge, rubric, set, detach }: JudgeOptions,
  environment: NodeJS.ProcessEnv,
): Promise<JudgeOf | null> {
  if (judge === undefined) {
    refuseWithoutJudge(rubric, set);
    return null;
  }
  if (detach) {
    throw new InvalidInputError(
      '--judge cannot stand beside --detach: once the evaluation is done, npx reprise judge judges it',
      'judge',
    );
  }
  const configOf: JudgeOf = (experiment) =>
    resolveConfig(
      judgeConfigs,
      { experiment, rubric, lm: judge },
      { source: 'the judge', folder: process.cwd(), overrides: judgeOverrides(set) },
    );
  const config = configOf('.');
  await checkModels(judgeConfigs.modelsOf(config), config.limits, environment);
  return configOf;
}

/** @throws InvalidInputError if an option requires a judge. */
function refuseWithoutJudge(rubric: string | undefined, set: readonly string[]): void {
  if (rubric !== undefined) {
    throw new InvalidInputError('--rubric is what a judge judges by: name one with --judge', 'rubric');
  }
  const [field] = judgeOverrides(set);
  if (field === undefined) return;
  throw new InvalidInputError(
    `--set judge.${field}: there is no judge; name one with --judge`,
    `judge.${field.split('=')[0]}`,
  );
}

/** Returns the command that judges the experiment in a folder in the same way. */
export function judgeCommandLine(artifacts: string, { judge, rubric, set }: JudgeOptions): string {
  const folder = shownAddress(artifacts);
  // A name without ./ would be taken for one in the results folder.
  const words = [isAddress(folder) ? folder : `./${folder}`, '--model', `${judge}`];
  if (rubric !== undefined) words.push('--rubric', rubric);
  for (const one of judgeOverrides(set)) words.push('--set', one);
  return `npx reprise judge ${words.map(shellWord).join(' ')}`;
}

/**
 * Carries out an evaluation and, if it is done, its judgement. The JSON output is one object: the result of the
 * evaluation, with that of the judgement, if there is one, as `judgement`.
 * @param judging creates the judgement of a folder
 * @returns the exit code.
 */
export async function carryOutJudged(
  carry: Carry,
  evaluation: CarriedOut<unknown, Ended>,
  judging: (artifacts: string) => CarriedOut<unknown, Ended>,
): Promise<number> {
  const { json } = evaluation;
  const result = await carry(evaluation, (ended) => json || printText(evaluation.report(ended)));
  if (result === null) return EXIT.interrupted;
  const { artifacts, metrics } = result;
  if (metrics.status !== 'done') {
    if (json) printJson(result);
    sayText('Not judged: the evaluation is not complete. The same command continues with both.');
    return sayExit(metrics, evaluation);
  }
  const exit = exitOf(metrics, evaluation.facts, evaluation.maxErrors);
  if (exit.code !== EXIT.done) {
    if (json) printJson(result);
    sayText(`${exit.why ?? ''} Nothing is judged by a model.`.trim());
    return exit.code;
  }
  const judged = judging(artifacts);
  let judgement: Ended | null = null;
  try {
    judgement = await carry(judged, (ended) => json || printText(judged.report(ended)));
  } finally {
    // The evaluation is done, even if its judgement is not.
    if (json) printJson(judgement === null ? result : { ...result, judgement });
  }
  return judgement === null
    ? EXIT.interrupted
    : sayExit(judgement.metrics, { ...evaluation, facts: judged.facts });
}
