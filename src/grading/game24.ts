import { type Grade, quote } from './grade.js';
import { type Arithmetic, readArithmetic } from './mathematics/arithmetic.js';
import { equals, type Rational, rational } from './mathematics/rational.js';
import { EQUALS, findArithmetic } from './puzzle-answer.js';

const GOAL = rational(24n) as Rational;

/**
 * Checks an answer to the Game of 24: an expression that uses each number exactly once, with + - * / and brackets, and
 * is 24 in exact arithmetic. Only the expression is judged, not the value that the reply states for it: `(13 - 9) * (12
 * - 6) = 48` counts as 24, as in published tables, and the message names the wrong side.
 */
export function checkGame24(numbers: readonly number[], output: string): Grade {
  const { candidates } = findArithmetic(output);
  const [extracted = null] = candidates;
  if (extracted === null) return { correct: false, extracted, message: 'The reply holds no expression.' };
  const answer = candidates.find((candidate) => solution(candidate, numbers)) ?? extracted;
  const found = solution(answer, numbers);
  if (!found) {
    const message = `${quote(answer)} does not use each of ${numbers.join(', ')} exactly once.`;
    return { correct: false, extracted: answer, message };
  }
  const fault = findFault(found);
  return { correct: fault === undefined, extracted: answer, message: fault ?? praise(found) };
}

/** The side of an equation that uses the numbers, and the other sides. */
interface Solution {
  text: string;
  arithmetic: Arithmetic;
  beside: string[];
}

function solution(answer: string, numbers: readonly number[]): Solution | undefined {
  const sides = answer.split(EQUALS).map((side) => side.trim());
  for (const [index, text] of sides.entries()) {
    const arithmetic = readArithmetic(text, 'puzzle');
    if (!arithmetic || !usesEach(arithmetic.numbers, numbers)) continue;
    return { text, arithmetic, beside: sides.filter((_, other) => other !== index) };
  }
  return undefined;
}

function findFault({ text, arithmetic: { features, value } }: Solution): string | undefined {
  if (['power', 'factorial', 'binomial'].some((feature) => features.has(feature as 'power'))) {
    return `${quote(text)} has more than + - * / and brackets.`;
  }
  return isGoal(value) ? undefined : `${quote(text)} is not 24.`;
}

function praise({ text, beside }: Solution): string {
  const wrong = beside.find((side) => !isGoal(readArithmetic(side, 'puzzle')?.value));
  return `${quote(text)} is 24${wrong === undefined ? '' : `, though ${quote(wrong)}, which stands beside it, is not`}.`;
}

const isGoal = (value: Rational | undefined) => value !== undefined && equals(value, GOAL);

function usesEach(used: Rational[], numbers: readonly number[]): boolean {
  const left = [...numbers];
  for (const { numerator, denominator } of used) {
    const index = left.findIndex((number) => BigInt(Math.round(number)) * denominator === numerator);
    if (index < 0) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}
