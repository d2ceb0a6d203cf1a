import type { Random } from '../../statistics/random.js';
import type { GeneratedRow } from './row.js';

const MAXIMUM = 100;

/** Generates secrets from 1 to 100 for the number-guessing environment. */
export function* generateNumberGuessing(count: number, random: Random): Generator<GeneratedRow> {
  for (let index = 0; index < count; index++) {
    const secret = 1 + Math.floor(random() * MAXIMUM);
    yield { id: `guess-${index}`, question: 'Find the secret number.', answer: String(secret) };
  }
}
