import type { Random } from '../../statistics/random.js';
import type { GeneratedRow } from './row.js';

const LARGEST = 13;
const TARGET = 24;

interface Value {
  /** Numerator of the exact value top / bottom. */
  top: number;
  bottom: number;
  text: string;
}

function combine(left: Value, right: Value): Value[] {
  const make = (top: number, bottom: number, operator: string, one = left, other = right): Value => ({
    top,
    bottom,
    text: `(${one.text} ${operator} ${other.text})`,
  });
  const values = [
    make(left.top * right.bottom + right.top * left.bottom, left.bottom * right.bottom, '+'),
    make(left.top * right.bottom - right.top * left.bottom, left.bottom * right.bottom, '-'),
    make(right.top * left.bottom - left.top * right.bottom, left.bottom * right.bottom, '-', right, left),
    make(left.top * right.top, left.bottom * right.bottom, '*'),
  ];
  if (right.top !== 0) values.push(make(left.top * right.bottom, left.bottom * right.top, '/'));
  if (left.top !== 0) values.push(make(right.top * left.bottom, right.bottom * left.top, '/', right, left));
  return values;
}

/** Finds an expression that makes 24 of the numbers, by trying every pair and operator; null where there is none. */
export function solveGame24(numbers: readonly number[]): string | null {
  const search = (values: readonly Value[]): string | null => {
    if (values.length === 1) {
      const [value] = values as [Value];
      // Brackets around the whole expression are redundant.
      return value.top === TARGET * value.bottom ? value.text.slice(1, -1) : null;
    }
    for (let first = 0; first < values.length; first++) {
      for (let second = first + 1; second < values.length; second++) {
        const rest = values.filter((_, index) => index !== first && index !== second);
        for (const value of combine(values[first] as Value, values[second] as Value)) {
          const found = search([...rest, value]);
          if (found !== null) return found;
        }
      }
    }
    return null;
  };
  return search(numbers.map((number) => ({ top: number, bottom: 1, text: String(number) })));
}

/** Generates solvable games of 24, each set of four numbers once, with a solution as `answer`. */
export function* generateGame24(count: number, random: Random): Generator<GeneratedRow> {
  const seen = new Set<string>();
  while (seen.size < count) {
    const numbers = Array.from({ length: 4 }, () => 1 + Math.floor(random() * LARGEST)).sort((a, b) => a - b);
    const question = numbers.join(' ');
    if (seen.has(question)) continue;
    const answer = solveGame24(numbers);
    if (answer === null) continue;
    yield { id: `game24-${seen.size}`, question, answer };
    seen.add(question);
  }
}

/** Number of sets of four numbers from 1 to 13 with a solution (by exhaustive search). */
export const SOLVABLE_GAMES = 1362;
