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

/** Score of one output. */
export interface DomainScore {
  /** Finite and not negative: 0 is the worst, and the score of a failed run. Most domains end at 1. */
  score: number;
  /** Reason for the score, in a few sentences. */
  message: string;
  /** Named figures besides the score, such as `{ speed: 12.5 }`: shown and averaged, never used for ranking. */
  metrics?: Readonly<Record<string, number>>;
}

/**
 * Kind of task, which judges outputs. Domains are pure, run outside of the container, and accept any text that a
 * program can output.
 */
export interface Domain {
  /** Format of an output, in one or two sentences for a task prompt. */
  readonly answerFormat: string;
  /** The highest possible score; null where it is unknown. A run below it has room for improvement. */
  readonly perfect: number | null;
  /** Returns what is wrong with an example of this domain, before anything runs; null for nothing. */
  findFault(example: DatasetExample): string | null;
  /** Scores an output; to be called by {@link scoreOutput} only. */
  score(output: string, example: DatasetExample): Promise<DomainScore> | DomainScore;
  /** Returns a correct output for prompts, or a description of one. */
  expectedOutput(example: DatasetExample): string;
  /** Generates examples; the same seed gives the same ones, and a smaller count the first of them. */
  generate?(seed: number, count: number): DatasetExample[];
}

/** Services of the worker for a domain. */
export interface DomainServices {
  /** Creates the domain of a user's file: in a worker, its scorer runs off the main thread, with a time limit. */
  ownDomain?(file: string): Promise<Domain>;
  /** In a worker, it runs off the main thread, with a time limit. */
  compareSymbolically?: SymbolicComparer;
}

/** Failure of the scorer, not of the scaffold; never counted as a score. */
export class ScoringError extends Error {
  override readonly name = 'ScoringError';
}

/** Maximum characters of a scorer's message on one output. */
const LONGEST_MESSAGE = 4000;
/** Maximum metrics of one output, and characters of a metric's name. */
const MAX_METRICS = 50;
const LONGEST_NAME = 100;

/**
 * Scores an output with a number that can be added and compared. NaN and the infinities become 0, and so does an output
 * whose comparison exceeds its limits: a program must not be able to win by making its scorer fail.
 * @throws ComparisonUnavailableError, InfrastructureError where judging is not possible for now, which may be tried
 *   again.
 * @throws ScoringError where the domain throws, or returns a negative score or none: below 0 a failed run, which scores
 *   0, would be better than a finished one.
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
  if (score < 0)
    throw unusable(
      example,
      `answers ${score}: a score must not be negative, since a failed run scores 0; of a loss, answer 1 / (1 + loss)`,
    );
  // -0 would print as 0 but compare as another value.
  return {
    score: score === 0 ? 0 : score,
    message: clip(String(message ?? ''), LONGEST_MESSAGE),
    ...(metrics === undefined ? {} : { metrics: metricsOf(metrics, example) }),
  };
}

/** Checks metrics. @throws ScoringError that names the faulty one. */
function metricsOf(metrics: unknown, example: DatasetExample): Record<string, number> {
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) {
    throw unusable(example, `answers metrics ${shownValue(metrics)}, which are no numbers by name`);
  }
  const entries = Object.entries(metrics);
  if (entries.length > MAX_METRICS) {
    throw unusable(example, `answers ${entries.length} metrics; ${MAX_METRICS} are the most`);
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

/** Returns the gold answer under one of its usual names; undefined where none is a text or a number. */
export function goldAnswer(scoring: JsonObject): string | undefined {
  return goldValue(scoring)?.toString();
}

/**
 * Returns what is wrong with a gold answer that is a number; null for nothing. A number beyond 2^53 lost digits when
 * its row was read as doubles, so that no right answer would match it.
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

/** Converts a grade of right or wrong to a score. */
export function allOrNothing({ correct, message }: { correct: boolean; message: string }): DomainScore {
  return { score: correct ? 1 : 0, message };
}
