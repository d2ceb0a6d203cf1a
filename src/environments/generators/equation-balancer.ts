import type { Random } from '../../statistics/random.js';
import type { GeneratedRow } from './row.js';

const LARGEST = 30;
const FEWEST_NUMBERS = 3;
const MAX_NUMBERS = 5;
const OPERATORS = ['+', '-', '*', '/'] as const;

/** Returns the value by the usual precedence; null where the result of a division is not whole. */
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

/** Generates equations without their operators, as `19 ? 8 ? 28 = -205`; `answer` is the original equation. */
export function* generateEquationBalancer(count: number, random: Random): Generator<GeneratedRow> {
  const draw = (limit: number) => Math.floor(random() * limit);
  const seen = new Set<string>();
  while (seen.size < count) {
    const length = FEWEST_NUMBERS + draw(MAX_NUMBERS - FEWEST_NUMBERS + 1);
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
