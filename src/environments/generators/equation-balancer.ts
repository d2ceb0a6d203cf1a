import type { Random } from '../../statistics/random.js';
import type { GeneratedRow } from './row.js';

const LARGEST = 30;
const FEWEST_NUMBERS = 3;
const MOST_NUMBERS = 5;
const OPERATORS = ['+', '-', '*', '/'] as const;

/** The value by the usual precedence; null where a division does not come out whole. */
function evaluate(numbers: readonly number[], operators: readonly string[]): number | null {
  let sum = 0;
  let product = numbers[0] as number;
  let sign = 1;
  for (const [index, operator] of operators.entries()) {
    const next = numbers[index + 1] as number;
    if (operator === '*') product *= next;
    else if (operator === '/') {
      if (product % next !== 0) return null;
      product /= next;
    } else {
      sum += sign * product;
      sign = operator === '+' ? 1 : -1;
      product = next;
    }
  }
  return sum + sign * product;
}

/** Equations with their operators taken out, as `19 ? 8 ? 28 = -205`; `answer` is the one they were made from. */
export function* generateEquationBalancer(count: number, random: Random): Generator<GeneratedRow> {
  const draw = (limit: number) => Math.floor(random() * limit);
  const seen = new Set<string>();
  while (seen.size < count) {
    const length = FEWEST_NUMBERS + draw(MOST_NUMBERS - FEWEST_NUMBERS + 1);
    const numbers = Array.from({ length }, () => 1 + draw(LARGEST));
    const operators = Array.from({ length: length - 1 }, () => OPERATORS[draw(OPERATORS.length)] as string);
    const value = evaluate(numbers, operators);
    if (value === null) continue;
    const question = `${numbers.join(' ? ')} = ${value}`;
    if (seen.has(question)) continue;
    const left = numbers.map((number, index) =>
      index === 0 ? `${number}` : `${operators[index - 1]} ${number}`,
    );
    yield { id: `equation-${seen.size}`, question, answer: `${left.join(' ')} = ${value}` };
    seen.add(question);
  }
}
