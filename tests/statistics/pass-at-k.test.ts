import { describe, expect, test } from 'vitest';
import { passAtK, passEstimates, passHatK } from '../../src/statistics/pass-at-k.js';

/** Every way to choose k of n trials, as sets of indices. */
function subsets(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  if (from >= n) return [];
  const withFirst = subsets(n, k - 1, from + 1).map((rest) => [from, ...rest]);
  return [...withFirst, ...subsets(n, k, from + 1)];
}

/** The estimates by their definition: the share of subsets of k trials with any, and with only, successes. */
function reference(n: number, c: number, k: number): { any: number; all: number } {
  const every = subsets(n, k);
  const any = every.filter((chosen) => chosen.some((index) => index < c)).length;
  const all = every.filter((chosen) => chosen.every((index) => index < c)).length;
  return { any: any / every.length, all: all / every.length };
}

describe('pass@k and pass^k', () => {
  test('are the shares of all subsets of k trials, for every number up to 9', () => {
    let compared = 0;
    for (let n = 1; n <= 9; n += 1) {
      for (let c = 0; c <= n; c += 1) {
        for (let k = 1; k <= n; k += 1) {
          const { any, all } = reference(n, c, k);
          expect(passAtK(n, c, k)).toBeCloseTo(any, 12);
          expect(passHatK(n, c, k)).toBeCloseTo(all, 12);
          compared += 1;
        }
      }
    }
    expect(compared).toBe(330);
  });

  test.each([
    // [n, c, k, pass@k, pass^k]
    [4, 2, 1, 1 / 2, 1 / 2],
    [4, 2, 2, 5 / 6, 1 / 6],
    [4, 2, 3, 1, 0],
    [4, 0, 4, 0, 0],
    [4, 4, 4, 1, 1],
    [1, 1, 1, 1, 1],
    [10, 3, 5, 11 / 12, 0],
  ])('of %d trials with %d successes, k = %d: %d and %d', (n, c, k, any, all) => {
    expect(passAtK(n, c, k)).toBeCloseTo(any, 12);
    expect(passHatK(n, c, k)).toBeCloseTo(all, 12);
  });

  test('do not overflow where the binomial coefficients do', () => {
    expect(passAtK(10_000, 5_000, 5_000)).toBe(1);
    expect(passHatK(10_000, 9_999, 5_000)).toBeCloseTo(0.5, 10);
    expect(passAtK(10_000, 1, 5_000)).toBeCloseTo(0.5, 10);
  });

  test.each([
    [4, 5, 1],
    [4, -1, 1],
    [4, 2, 0],
    [4, 2, 5],
    [4, 2, 1.5],
    [0, 0, 1],
    [4, Number.NaN, 1],
  ])('of %d trials with %d successes, k = %d, there is no estimate', (n, c, k) => {
    expect(() => passAtK(n, c, k)).toThrow(RangeError);
    expect(() => passHatK(n, c, k)).toThrow(RangeError);
  });
});

describe('over tasks', () => {
  test('every task counts alike', () => {
    const outcomes = [
      { trials: 2, successes: 2 },
      { trials: 2, successes: 1 },
      { trials: 2, successes: 0 },
      { trials: 2, successes: 0 },
    ];
    expect(passEstimates(outcomes)).toEqual([
      { k: 1, pass_at_k: 0.375, pass_hat_k: 0.375, tasks: 4 },
      { k: 2, pass_at_k: 0.5, pass_hat_k: 0.25, tasks: 4 },
    ]);
  });

  test('a task with fewer than k trials says nothing of k', () => {
    const outcomes = [
      { trials: 3, successes: 3 },
      { trials: 1, successes: 0 },
    ];
    expect(passEstimates(outcomes)).toEqual([
      { k: 1, pass_at_k: 0.5, pass_hat_k: 0.5, tasks: 2 },
      { k: 2, pass_at_k: 1, pass_hat_k: 1, tasks: 1 },
      { k: 3, pass_at_k: 1, pass_hat_k: 1, tasks: 1 },
    ]);
    expect(passEstimates([])).toEqual([]);
  });
});
