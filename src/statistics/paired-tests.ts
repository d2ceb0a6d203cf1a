import { createRandom } from './random.js';

/**
 * Computes the two-sided p-value of the exact sign test: the chance that a fair coin, tossed `first + second` times,
 * divides at least as unevenly. On discordant pairs of outcomes it is McNemar's exact test. 1 where there is no pair.
 */
export function signTest(first: number, second: number): number {
  const throws = first + second;
  const fewer = Math.min(first, second);
  // Logarithms, because 2^−n is 0 in floating point from n = 1,075 on.
  let logChance = -throws * Math.LN2;
  let tail = 0;
  for (let heads = 0; heads <= fewer; heads += 1) {
    tail += Math.exp(logChance);
    logChance += Math.log((throws - heads) / (heads + 1));
  }
  return Math.min(1, 2 * tail);
}

/** Largest number of differences other than 0 whose signs are all tried: 2^19 ways, since opposite ones are alike. */
const MAX_ENUMERATED = 20;
const DRAWS = 10_000;
/** Bits of one random number that serve as signs. */
const SIGNS_A_DRAW = 32;
/** Relative tolerance for sums that would be equal without rounding. */
const SLACK = 1e-12;

export interface PermutationTest {
  p_value: number;
  /** Number of random draws; null if all assignments of signs were counted. */
  draws: number | null;
}

/**
 * Tests whether paired differences have the mean 0: the share of assignments of signs with a mean at least as far from 0
 * as the observed one, two-sided (Fisher's randomization test; Good 2005, Permutation, Parametric and Bootstrap Tests).
 * Exact for up to 20 differences other than 0 and where all of these have the same size; else of 10,000 seeded draws, the
 * observed assignment counted with them (Phipson and Smyth 2010).
 */
export function permutationTest(
  differences: readonly number[],
  { seed = 0 }: { seed?: number | string } = {},
): PermutationTest {
  const largest = differences.reduce((most, difference) => Math.max(most, Math.abs(difference)), 0);
  if (largest === 0) return { p_value: 1, draws: null };
  const scaled = differences.filter((difference) => difference !== 0).map((one) => one / largest);
  if (scaled.every((one) => Math.abs(Math.abs(one) - 1) < SLACK)) {
    const positive = scaled.filter((one) => one > 0).length;
    return { p_value: signTest(positive, scaled.length - positive), draws: null };
  }
  const observed = Math.abs(scaled.reduce((sum, one) => sum + one, 0)) - SLACK * scaled.length;
  if (scaled.length <= MAX_ENUMERATED) return { p_value: enumerated(scaled, observed), draws: null };
  return { p_value: drawn(scaled, observed, seed), draws: DRAWS };
}

/** Computes the share of the assignments of signs whose sum is at least `observed` or at most `-observed`. */
function enumerated([first = 0, ...others]: readonly number[], observed: number): number {
  const countFrom = (index: number, sum: number): number => {
    const next = others[index];
    if (next === undefined) return Math.abs(sum) >= observed ? 1 : 0;
    return countFrom(index + 1, sum + next) + countFrom(index + 1, sum - next);
  };
  return countFrom(0, first) / 2 ** others.length;
}

function drawn(scaled: readonly number[], observed: number, seed: number | string): number {
  const random = createRandom(seed);
  const sizes = Float64Array.from(scaled, Math.abs);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let hits = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let positive = 0;
    let bits = 0;
    for (let index = 0; index < sizes.length; index += 1) {
      if (index % SIGNS_A_DRAW === 0) bits = Math.floor(random() * 2 ** SIGNS_A_DRAW);
      // A product instead of a branch, which no processor could predict.
      positive += (bits & 1) * (sizes[index] as number);
      bits >>>= 1;
    }
    if (Math.abs(2 * positive - total) >= observed) hits += 1;
  }
  return (hits + 1) / (DRAWS + 1);
}

/**
 * Corrects p-values for their number, so that the chance of any false finding among them stays below the level (Holm
 * 1979, Scandinavian Journal of Statistics 6, 65–70). In the order given.
 */
export function holm(pValues: readonly number[]): number[] {
  const corrected = new Array<number>(pValues.length);
  let least = 0;
  const ascending = [...pValues.entries()].sort(([, left], [, right]) => left - right);
  for (const [rank, [index, pValue]] of ascending.entries()) {
    least = Math.max(least, Math.min(1, (pValues.length - rank) * pValue));
    corrected[index] = least;
  }
  return corrected;
}
