import { InfrastructureError } from '../../../../contracts/infrastructure-error.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { asError, shownValue } from '../../../../contracts/run-user-code.js';
import {
  ComparisonUnavailableError,
  GradingLimitError,
  type SymbolicComparer,
} from '../../../../grading/grade.js';
import { clip } from '../prompt-text.js';
import type { DatasetExample } from '../types.js';

/** How good one output is. */
export interface DomainScore {
  /** Finite and not negative: 0 is the worst, what a failed run gets. Most domains end at 1. */
  score: number;
  /** Why, in a sentence or a few. */
  message: string;
  /** Named figures beside the score, such as `{ speed: 12.5 }`: shown and averaged, and never what is ranked by. */
  metrics?: Readonly<Record<string, number>>;
}

/**
 * A kind of task: it judges outputs. Domains are pure, run outside of the container, and take every text that a program
 * can put out.
 */
export interface Domain {
  /** How an output has to look, in a sentence or two that can be put into a task prompt. */
  readonly answerFormat: string;
  /** The best score that there is; null where nobody knows. A run below it has room for improvement. */
  readonly perfect: number | null;
  /** What is wrong with an example as one of this domain, to be asked before anything runs; null for nothing. */
  findFault(example: DatasetExample): string | null;
  /** Use {@link scoreOutput}, which checks what comes back. */
  score(output: string, example: DatasetExample): Promise<DomainScore> | DomainScore;
  /** A right output, as prompts show it; or in words what one is like. */
  expectedOutput(example: DatasetExample): string;
  /** Examples of this kind; the same seed gives the same ones, and fewer are the first of more. */
  generate?(seed: number, count: number): DatasetExample[];
}

/** What the worker hands to a domain. */
export interface DomainServices {
  /** Makes the domain of a user's file: in a worker, one whose scorer is off the main thread and time-boxed. */
  ownDomain?(file: string): Promise<Domain>;
  /** Time-boxed and off the main thread in a worker. */
  compareSymbolically?: SymbolicComparer;
}

/** The scorer failed, not the scaffold; never counted as a score. */
export class ScoringError extends Error {
  override readonly name = 'ScoringError';
}

/** Characters of what a scorer says of one output. */
const LONGEST_MESSAGE = 4000;
/** Metrics of one output, and characters of a metric's name. */
const MOST_METRICS = 50;
const LONGEST_NAME = 100;

/**
 * The score of an output, fit to be added up and compared. NaN and the infinities become 0, and so does an output whose
 * comparison takes more than one may, for a program must not be able to win by making its scorer stumble.
 * @throws ComparisonUnavailableError, InfrastructureError where nothing could be judged for now, which may be tried again.
 * @throws ScoringError where the domain throws, or answers with a negative score or with none: below 0 a failed run,
 *   which scores 0, would be better than a finished one.
 */
export async function scoreOutput(
  domain: Domain,
  output: string,
  example: DatasetExample,
): Promise<DomainScore> {
  let answer: DomainScore;
  try {
    answer = await domain.score(output, example);
  } catch (thrown) {
    const error = asError(thrown);
    if (error instanceof ComparisonUnavailableError || error instanceof InfrastructureError) throw error;
    if (error instanceof GradingLimitError)
      return { score: 0, message: `${error.message}, which counts as 0.` };
    throw new ScoringError(`scoring example ${JSON.stringify(example.id)} failed: ${error.message}`, {
      cause: error,
    });
  }
  const { score, message, metrics } = answer ?? {};
  if (typeof score !== 'number')
    throw unusable(
      example,
      `answers ${score === undefined ? 'nothing' : shownValue(score)} as its score, which is no number`,
    );
  if (!Number.isFinite(score)) return { score: 0, message: `The score is ${score}, which counts as 0.` };
  if (score < 0) throw unusable(example, `answers ${score}: a score must not be negative`);
  // -0 would print as 0 but compare as another value.
  return {
    score: score === 0 ? 0 : score,
    message: clip(String(message ?? ''), LONGEST_MESSAGE),
    ...(metrics === undefined ? {} : { metrics: metricsOf(metrics, example) }),
  };
}

/** @throws ScoringError that names the metric which is no finite number. */
function metricsOf(metrics: unknown, example: DatasetExample): Record<string, number> {
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) {
    throw unusable(example, `answers metrics ${shownValue(metrics)}, which are no numbers by name`);
  }
  const entries = Object.entries(metrics);
  if (entries.length > MOST_METRICS) {
    throw unusable(example, `answers ${entries.length} metrics; ${MOST_METRICS} are the most`);
  }
  for (const [name, value] of entries) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw unusable(
        example,
        `answers the metric ${JSON.stringify(name)} as ${shownValue(value)}, which is no finite number`,
      );
    }
    if (name.trim() === '' || name.length > LONGEST_NAME) {
      throw unusable(
        example,
        `names a metric ${shownValue(name)}; a name has 1 to ${LONGEST_NAME} characters`,
      );
    }
  }
  return Object.fromEntries(entries);
}

function unusable(example: DatasetExample, what: string): ScoringError {
  return new ScoringError(`the scorer of example ${JSON.stringify(example.id)} ${what}`);
}

/** The gold answer under one of its usual names; undefined where there is none that is a text or a number. */
export function goldAnswer(scoring: JsonObject): string | undefined {
  return goldValue(scoring)?.toString();
}

/**
 * What is wrong with a gold answer that is a number; null for nothing. A number beyond 2^53 is not the one that its row
 * had: reading it as a double lost digits, so that no right answer would match it.
 */
export function goldNumberFault(scoring: JsonObject): string | null {
  const value = goldValue(scoring);
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return null;
  return `the target is a number beyond 2^53, of which digits were lost (${value} is left); write it as a text, in quotes`;
}

function goldValue(scoring: JsonObject): string | number | undefined {
  for (const name of ['target', 'answer', 'correct_answer', 'solution']) {
    const value = scoring[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return value;
  }
  return undefined;
}

/** A grade of right or wrong as a score. */
export function allOrNothing({ correct, message }: { correct: boolean; message: string }): DomainScore {
  return { score: correct ? 1 : 0, message };
}
