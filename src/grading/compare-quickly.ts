import { LONGEST_EXPRESSION } from './bounds.js';
import { valuesAgree } from './mathematics/agreement.js';
import { quantityOf } from './mathematics/assignment.js';
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

/**
 * Compares an answer with the target under every reading that a text has: `1,234` is a number or a list of two; beside
 * one number, `12,5` is a decimal and `m+n = 45` or `45 (mod 100)` is 45.
 */
export function compareReadings(left: string, right: string, judge: PartComparison): Decision {
  const [answer, gold] = [readAnswer(left), readAnswer(right)];
  let verdict = compareAnswers(answer, gold, judge);
  const consider = (one: MathAnswer | undefined, other: MathAnswer) => {
    if (one && verdict !== true) verdict = compareAnswers(one, other, judge) || verdict;
  };
  if (isGrouped(left) || isGrouped(right)) consider(readAnswer(left, false), readAnswer(right, false));
  if (isNumber(gold)) {
    const remainder = withoutModulus(left);
    consider(withDecimalPoint(left), gold);
    consider(quantityOf(remainder === left ? answer : readAnswer(remainder)), gold);
  }
  if (isNumber(answer)) consider(withDecimalPoint(right), answer);
  return verdict;
}

const isNumber = (answer: MathAnswer) =>
  answer.kind === 'scalar' && !/[a-zA-Z]/.test(answer.latex.replace(/\\[a-zA-Z]+/g, ''));

/** Removes the modulus of a remainder: `45 \pmod{100}`, `45 (mod 100)`. */
const withoutModulus = (answer: string) =>
  answer.replace(
    /\s?(?:\\pmod\s?\{?\d{1,9}\}?|\\[bp]?mod\s?\{?\d{1,9}\}?|\((?:\\text\{)?mod\}?\s?\d{1,9}\))\s?\$?$/,
    '',
  );

/**
 * Pattern of a number with a decimal comma, or with dots between its thousands: `12,50 €`, `0,125`, `1.234,5`,
 * `1.234.567`. With three digits after its only comma or dot it may be another number.
 */
const DECIMAL_COMMA =
  /^([^\d,.;()[\]{}]{0,12})(?:(\d{1,3}(?:[. ]\d{3}){1,6}),(\d{1,20})|(\d{1,3}(?:\.\d{3}){2,6})|(\d{1,20}),(\d{1,2}|\d{4,20})|(0),(\d{3}))(?![\d.,])((?:[^\d,;()[\]{}]|\\text\{[^{}\d]{0,20}\}){0,24})$/;

function withDecimalPoint(text: string): MathAnswer | undefined {
  const match = DECIMAL_COMMA.exec(text.trim());
  if (!match) return undefined;
  const [, before = '', grouped, digits, groups, whole, fraction, zero, thousandths, after = ''] = match;
  const number = (grouped ?? groups ?? whole ?? zero ?? '').replace(/[. ]/g, '');
  const decimals = digits ?? fraction ?? thousandths;
  return readAnswer(`${before}${number}${decimals === undefined ? '' : `.${decimals}`}${after}`);
}

/** True for a comma before three digits, which are not a number with a leading zero. */
const isGrouped = (answer: string) => /\d,\s?[1-9]\d\d(?!\d)/.test(answer) && !/,\s?0\d/.test(answer);
