import type { Random } from '../../statistics/random.js';
import type { GeneratedRow } from './row.js';

/** Generates sums and products of small numbers, for trying things out. */
export function* generateArithmetic(count: number, random: Random): Generator<GeneratedRow> {
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  for (let index = 0; index < count; index++) {
    const [left, right, third] = [draw(2, 99), draw(2, 99), draw(2, 19)] as [number, number, number];
    const question = `What is (${left} + ${right}) * ${third}?`;
    yield { id: `arithmetic-${index}`, question, answer: String((left + right) * third) };
  }
}
