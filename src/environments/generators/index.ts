import { createRandom, type Random } from '../../statistics/random.js';
import { generateArithmetic } from './arithmetic.js';
import { generateEquationBalancer } from './equation-balancer.js';
import { generateGame24, SOLVABLE_GAMES } from './game24.js';
import { generateNumberGuessing } from './number-guessing.js';
import type { GeneratedRow } from './row.js';

type Generate = (count: number, random: Random) => Generator<GeneratedRow>;

/** Generators of `reprise generate`, by name, with the environment that judges their rows. */
export const GENERATORS: Record<string, { generate: Generate; environment: string; most: number }> = {
  game24: { generate: generateGame24, environment: 'Game24Env', most: SOLVABLE_GAMES },
  equation_balancer: {
    generate: generateEquationBalancer,
    environment: 'EquationBalancerEnv',
    most: 1_000_000,
  },
  number_guessing: { generate: generateNumberGuessing, environment: 'NumberGuessingEnv', most: 1_000_000 },
  arithmetic: { generate: generateArithmetic, environment: 'MathQAEnv', most: 1_000_000 },
};

/** Generates rows of one kind; the same seed gives the same rows on every machine. */
export function generateRows(kind: string, count: number, seed: number): Generator<GeneratedRow> {
  const generator = GENERATORS[kind];
  if (generator === undefined) throw new RangeError(`no generator is called ${kind}`);
  return generator.generate(count, createRandom(`${kind}:${seed}`));
}
