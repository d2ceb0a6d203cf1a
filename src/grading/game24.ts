import { type Grade, quote } from './grade.js';
import { type Arithmetic, readArithmetic } from './mathematics/arithmetic.js';
import { equals, type Rational, rational } from './mathematics/rational.js';
import { EQUALS, findArithmetic } from './puzzle-answer.js';

const GOAL = rational(24n) as Rational;

/**
 * Checks an answer to the Game of 24: an expression that uses each number exactly once, with + - * / and brackets,
 * and is 24 in exact arithmetic. `= 24` may follow it, and so may steps that are 24 as well.
 */
export function checkGame24(numbers: readonly number[], output: string): Grade {
  const { candidates } = findArithmetic(output);
  const [extracted = null] = candidates;
  if (extracted === null) return { correct: false, extracted, message: 'The reply holds no expression.' };
  const answer = candidates.find((candidate) => solution(candidate, numbers)) ?? extracted;
  const fault = findFault(answer, numbers);
  return { correct: fault === undefined, extracted: answer, message: fault ?? `${quote(answer)} is 24.` };
}

/** The side of an equation that uses the numbers. */
function solution(answer: string, numbers: readonly number[]): Arithmetic | undefined {
  return answer
    .split(EQUALS)
    .map((side) => readArithmetic(side, 'puzzle'))
    .find((side) => side && usesEach(side.numbers, numbers));
}

function findFault(answer: string, numbers: readonly number[]): string | undefined {
  const found = solution(answer, numbers);
  if (!found) return `${quote(answer)} does not use each of ${numbers.join(', ')} exactly once.`;
  if (['power', 'factorial', 'binomial'].some((feature) => found.features.has(feature as 'power'))) {
    return `${quote(answer)} has more than + - * / and brackets.`;
  }
  const values = answer.split(EQUALS).map((side) => readArithmetic(side, 'puzzle')?.value);
  return values.every((value) => value && equals(value, GOAL)) ? undefined : `${quote(answer)} is not 24.`;
}

function usesEach(used: Rational[], numbers: readonly number[]): boolean {
  const left = [...numbers];
  for (const { numerator, denominator } of used) {
    const index = left.findIndex((number) => BigInt(Math.round(number)) * denominator === numerator);
    if (index < 0) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}
