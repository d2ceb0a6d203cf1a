import { checkModels } from '../../activities/check-model.js';
import { type CarriedOut, type Carry, sayExit } from '../../cli/carry-out.js';
import { EXIT } from '../../cli/exit.js';
import { exitOf } from '../../cli/exit-code.js';
import { isAddress } from '../../cli/find-experiment.js';
import { shownAddress } from '../../cli/format.js';
import { printJson, printText, sayText } from '../../cli/print.js';
import { InvalidInputError } from '../../config/errors.js';
import { resolveConfig } from '../../config/load.js';
import type { Ended } from '../../facts/kind-facts.js';
import { judgeConfigs } from '../judge/config.js';
import type { JudgeConfig } from '../judge/schema.js';
import type { CommandOptions } from '../kind.js';

/** The options of an evaluation that concern its judge. */
export interface JudgeOptions extends Pick<CommandOptions, 'set' | 'detach'> {
  judge?: string;
  rubric?: string;
}

const OF_THE_JUDGE = 'judge.';

/** Assignments to fields of the judge, as its own config knows them. */
function judgeOverrides(set: readonly string[]): string[] {
  return set.filter((one) => one.startsWith(OF_THE_JUDGE)).map((one) => one.slice(OF_THE_JUDGE.length));
}

/** Assignments to fields of the evaluation. */
export function evaluationOverrides(set: readonly string[]): string[] {
  return set.filter((one) => !one.startsWith(OF_THE_JUDGE));
}

/** Who judges, once it is known what. */
type JudgeOf = (experiment: string) => JudgeConfig;

/**
 * Who judges an evaluation when it is done; all that can be checked is checked before it begins.
 * @returns null where nobody does.
 * @throws InvalidInputError that names the option.
 */
export async function judgeOf(
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
  await checkModels(judgeConfigs.models(config), config.limits, environment);
  return configOf;
}

/** @throws InvalidInputError where an option speaks of a judge that there is not. */
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

/** The command that judges what is in a folder in the same way. */
export function judgeCommandLine(artifacts: string, { judge, rubric, set }: JudgeOptions): string {
  const folder = shownAddress(artifacts);
  // A word alone would be a name below the folder of results.
  const words = [isAddress(folder) ? folder : `./${folder}`, '--model', `${judge}`];
  if (rubric !== undefined) words.push('--rubric', rubric);
  for (const one of judgeOverrides(set)) words.push('--set', one);
  return `npx reprise judge ${words.map(shellWord).join(' ')}`;
}

/** A word as a shell reads it. */
function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Carries an evaluation to its end and, where it is done, its judgement. The result as JSON is one object: that of the
 * evaluation, with the other's as `judgement` where there is one.
 * @param judging the judgement of a folder
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
    sayText('Not judged: the evaluation is not complete. The same command goes on with both.');
    return sayExit(metrics, evaluation);
  }
  const exit = exitOf(metrics, evaluation.facts, evaluation.mostErrors);
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
    // The evaluation is done, whatever became of its judgement.
    if (json) printJson(judgement === null ? result : { ...result, judgement });
  }
  return judgement === null
    ? EXIT.interrupted
    : sayExit(judgement.metrics, { ...evaluation, facts: judged.facts });
}
