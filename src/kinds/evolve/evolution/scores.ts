import { meanOf } from '../../../statistics/sums.js';
import { compareScaffoldIds } from './ids.js';

/** Scores of a scaffold on the validation examples of one iteration. */
export interface Validation {
  /** Mean of `by_example`, by which scaffolds are ranked. */
  score: number;
  /** Scores by the example's id. */
  by_example: Readonly<Record<string, number>>;
}

/**
 * Computes the validation from a scaffold's scores. They are added in the order of the examples' ids, so the mean is
 * the same to the last bit whichever execution ended first.
 * @throws RangeError where there is no score, or one that is not finite.
 */
export function validationOf(scores: Readonly<Record<string, number>>): Validation {
  const ids = Object.keys(scores).sort();
  if (ids.length === 0) throw new RangeError('a validation needs at least one score');
  const values = ids.map((id) => scores[id] as number);
  for (const [index, id] of ids.entries()) {
    checkScore(values[index] as number, `the score of example ${JSON.stringify(id)}`);
  }
  const by_example = Object.fromEntries(ids.map((id) => [id, scores[id] as number]));
  return { score: meanOf(values), by_example };
}

/** Checks a score. @throws RangeError for NaN and the infinities, which cannot be ranked. */
export function checkScore(score: number, what: string): void {
  if (!Number.isFinite(score)) throw new RangeError(`${what} is ${score}`);
}

/** Content of an iteration's `scoring.json`: scores by scaffold id. */
export interface ScoringFile {
  train: Record<string, number>;
  valid: Record<string, number>;
}

/** Returns the content of `scoring.json`, sorted by id. */
export function scoringFile(
  train: Readonly<Record<string, number>>,
  valid: Readonly<Record<string, number>>,
): ScoringFile {
  return { train: inOrder(train), valid: inOrder(valid) };
}

function inOrder(scores: Readonly<Record<string, number>>): Record<string, number> {
  for (const [id, score] of Object.entries(scores)) checkScore(score, `the score of scaffold ${id}`);
  return Object.fromEntries(
    Object.entries(scores).sort(([left], [right]) => compareScaffoldIds(left, right)),
  );
}
