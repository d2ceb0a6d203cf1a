import { LONGEST_EXPRESSION } from './bounds.js';
import { valuesAgree } from './mathematics/agreement.js';
import { compareAnswers, type PartComparison, sameText } from './mathematics/compare-answers.js';
import type { Value } from './mathematics/compare-scalars.js';
import { type MathAnswer, readAnswer } from './mathematics/structure.js';
import type { Decision } from './mathematics/three-valued.js';

const PLAIN_INTEGER = /^[+-]?\d+$/;

/**
 * Compares two mathematical answers by spelling, structure and exact rational arithmetic. Synchronous, with bounded
 * work for any text; the maths library is never used.
 * @returns `undefined` where this cannot decide, and `compareSymbolically` may.
 */
export function compareQuickly(left: string, right: string, tolerance = 0): boolean | undefined {
  const [first, second] = [left.trim(), right.trim()];
  if (first === '' || second === '') return false;
  if (PLAIN_INTEGER.test(first) && PLAIN_INTEGER.test(second) && tolerance === 0) {
    return digits(first) === digits(second);
  }
  if (first.length > LONGEST_EXPRESSION || second.length > LONGEST_EXPRESSION) {
    return sameText(first, second) ? true : undefined;
  }
  return compareReadings(first, second, quickJudge(tolerance));
}

/** Removes the plus sign and leading zeros of an integer; zero has no sign. */
function digits(integer: string): string {
  const magnitude = integer.replace(/^[+-]?0*/, '') || '0';
  return integer.startsWith('-') && magnitude !== '0' ? `-${magnitude}` : magnitude;
}

function quickJudge(tolerance: number): PartComparison {
  return {
    values: (left, right) => compareValues(left, right, tolerance),
    relations: () => undefined,
  };
}

function compareValues(left: Value, right: Value, tolerance: number): Decision {
  if (left.latex !== '' && left.latex === right.latex) return true;
  if (left.value && right.value) return valuesAgree(left, right, tolerance);
  const infinite = [left, right].filter(({ latex }) => /^-?\\infty$/.test(latex)).length;
  if (infinite === 2 || (infinite === 1 && (left.value || right.value))) return false;
  // Names are compared by spelling: `AB` is not a product that could equal `BA`.
  if (/^[a-zA-Z]+$/.test(left.latex) && /^[a-zA-Z]+$/.test(right.latex)) return false;
  return undefined;
}

/** Compares two answers under both readings of `1,234`: as a number, and as a list of two. */
export function compareReadings(left: string, right: string, judge: PartComparison): Decision {
  const verdict = compareAnswers(readAnswer(left), readAnswer(right), judge);
  if (verdict === true || !(isGrouped(left) || isGrouped(right))) return verdict;
  const listed: [MathAnswer, MathAnswer] = [readAnswer(left, false), readAnswer(right, false)];
  return compareAnswers(...listed, judge) || verdict;
}

/** True for a comma before three digits, which are not a number with a leading zero. */
const isGrouped = (answer: string) => /\d,\s?[1-9]\d\d(?!\d)/.test(answer) && !/,\s?0\d/.test(answer);
