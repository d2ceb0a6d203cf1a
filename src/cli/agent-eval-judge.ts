import { checkJudge } from '../activities/judge/prepare-judge.js';
import { InvalidInputError } from '../config/errors.js';
import { resolveJudgeConfig } from '../config/judge-load.js';
import type { JudgeConfig } from '../config/judge-schema.js';
import { isAddress } from './find-experiment.js';
import { shownAddress } from './format.js';

/** The options of an evaluation that concern its judge. */
export interface JudgeOptions {
  judge?: string;
  rubric?: string;
  /** Assignments; those that begin with `judge.` are the judge's. */
  set: string[];
  detach?: boolean;
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
export type JudgeOf = (experiment: string) => JudgeConfig;

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
    resolveJudgeConfig(
      { experiment, rubric, lm: judge },
      { source: 'the judge', folder: process.cwd(), overrides: judgeOverrides(set) },
    );
  await checkJudge(configOf('.'), { environment });
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
export function judgeCommand(artifacts: string, { judge, rubric, set }: JudgeOptions): string {
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
