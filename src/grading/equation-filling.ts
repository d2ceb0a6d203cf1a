import { type Grade, quote } from './grade.js';
import { type Arithmetic, readArithmetic } from './mathematics/arithmetic.js';
import { equals, type Rational } from './mathematics/rational.js';
import { EQUALS, findArithmetic } from './puzzle-answer.js';

/** A puzzle such as `19 ? 8 ? 28 = -205`. */
interface Puzzle {
  numbers: Rational[];
  value: Rational;
}

/**
 * Checks an answer to a puzzle such as `19 ? 8 ? 28 = -205`, whose question marks stand for + - * or /. The answer must
 * keep the numbers in their order, with multiplication before addition, and no brackets or signs of its own. It is
 * judged by its exact value, so that every valid solution counts. After an answer marker the right side may be left
 * out.
 */
export function checkEquationFilling(puzzle: string, output: string): Grade {
  const wanted = readPuzzle(puzzle);
  const { candidates, marked } = findArithmetic(output);
  const equations = marked ? candidates : candidates.filter((candidate) => candidate.includes('='));
  const [extracted = null] = equations;
  if (!wanted) return { correct: false, extracted, message: `${quote(puzzle)} is no puzzle.` };
  if (extracted === null) return { correct: false, extracted, message: 'The reply holds no equation.' };
  // An equation with the puzzle's numbers is the answer, even if other equations are before or after it.
  const answer = equations.find((candidate) => keepsNumbers(candidate, wanted)) ?? extracted;
  const fault = findFault(answer, wanted);
  return { correct: fault === undefined, extracted: answer, message: fault ?? `${quote(answer)} holds.` };
}

/** Reports whether a text is a puzzle for {@link checkEquationFilling}; words may come before the equation. */
export function isEquationPuzzle(text: string): boolean {
  return readPuzzle(text) !== undefined;
}

function readPuzzle(puzzle: string): Puzzle | undefined {
  const line = puzzle.split('\n').find((one) => one.includes('?') && one.includes('=')) ?? puzzle;
  const [left = '', right = '', ...more] = line.split('=');
  // The equation may end a sentence with a full stop.
  const value = readArithmetic(right.trim().replace(/\.$/, ''), 'puzzle')?.value;
  const numbers = left.split('?').map((number) => readArithmetic(number.replace(/^[^\d.+-]+/, ''), 'puzzle'));
  if (!value || more.length > 0 || numbers.length < 2) return undefined;
  const values = numbers.map((number) => (number?.numbers.length === 1 ? number.value : undefined));
  return values.every((one) => one !== undefined) ? { numbers: values as Rational[], value } : undefined;
}

function keepsNumbers(answer: string, puzzle: Puzzle): boolean {
  const numbers = readArithmetic(answer.split(EQUALS)[0] ?? '', 'puzzle')?.numbers ?? [];
  return (
    numbers.length === puzzle.numbers.length &&
    numbers.every((one, index) => sameSize(one, puzzle.numbers[index]))
  );
}

/** Compares a number with the size of the puzzle's, whose sign is read separately. */
function sameSize(number: Rational, wanted: Rational | undefined): boolean {
  if (!wanted) return false;
  const size = wanted.numerator < 0n ? { ...wanted, numerator: -wanted.numerator } : wanted;
  return equals(number, size);
}

function findFault(answer: string, puzzle: Puzzle): string | undefined {
  const [left = '', ...sides] = answer.split(EQUALS);
  const filled = readArithmetic(left, 'puzzle');
  if (!filled || !keepsNumbers(answer, puzzle)) return `${quote(answer)} does not keep the puzzle's numbers.`;
  if (isAltered(filled, puzzle)) return `${quote(answer)} has more than + - * / between the numbers.`;
  if (!sides.every((side) => isValue(readArithmetic(side, 'puzzle'), puzzle))) {
    return `${quote(answer)} does not keep the puzzle's right side.`;
  }
  if (!filled.value) return `${quote(answer)} divides by zero.`;
  return equals(filled.value, puzzle.value) ? undefined : `${quote(answer)} does not hold.`;
}

function isAltered({ features }: Arithmetic, puzzle: Puzzle): boolean {
  const signed = puzzle.numbers.some((number) => number.numerator < 0n);
  return [...features].some((feature) => feature !== 'sign' || !signed);
}

function isValue(side: Arithmetic | undefined, puzzle: Puzzle): boolean {
  return side?.value !== undefined && equals(side.value, puzzle.value);
}
