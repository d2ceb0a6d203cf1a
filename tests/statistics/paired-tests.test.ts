import { describe, expect, test } from 'vitest';
import { holm, permutationTest, signTest } from '../../src/statistics/paired-tests.js';

describe('the exact sign test', () => {
  test.each([
    // [first, second, p]: twice the tail of the binomial with 1/2.
    [0, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
    [0, 5, 2 / 32],
    [1, 5, (2 * 7) / 64],
    [2, 8, (2 * 56) / 1024],
    [10, 0, 2 / 1024],
    [5, 5, 1],
    // statsmodels 0.15.0, mcnemar(exact=True).
    [1, 9, 0.021484375],
    [60, 90, 0.017597691928785828],
    [5, 22, 0.0015137195587158203],
  ])('of %d against %d is %d', (first, second, expected) => {
    expect(signTest(first, second)).toBeCloseTo(expected, 10);
    expect(signTest(second, first)).toBeCloseTo(expected, 10);
  });

  test('does not end at 0 where 2^−n does', () => {
    expect(signTest(5_000, 5_000)).toBe(1);
    // 100 more than half of 10,000 is two standard deviations.
    expect(signTest(4_900, 5_100)).toBeCloseTo(0.0466, 3);
  });
});

describe('the permutation test of paired differences', () => {
  // scipy 1.17.1, permutation_test(permutation_type='samples', n_resamples=inf), and an enumeration of all signs.
  test.each<[number[], number]>([
    [[], 1],
    [[0, 0, 0], 1],
    [[0.5], 1],
    [[0.5, -0.5], 1],
    [[0.1, 0.2, 0.3], 0.25],
    [[1, -1, 0.5], 1],
    [[0.25, -0.5, 0.75, 0.5, 0, 1, 0.25], 0.1875],
    [[0.5, 0.5, -0.25, 0.75, 1, 1, -0.5, 0.25, 0.125, 0.3], 0.052734375],
    // Sums that are equal without rounding: 0.1 + 0.2 and 0.3.
    [[0.1, 0.2, -0.3], 1],
  ])('of %j is exactly %d, whichever experiment is the baseline', (differences, p_value) => {
    for (const scale of [1, -1, 1e-9, 1e300]) {
      const scaled = differences.map((difference) => difference * scale);
      expect(permutationTest(scaled)).toEqual({ p_value, draws: null });
    }
  });

  test('is McNemar’s exact test where all differences have one size, however many they are', () => {
    const differences = [...Array<number>(3_000).fill(0.5), ...Array<number>(2_900).fill(-0.5), 0, 0];
    expect(permutationTest(differences)).toEqual({ p_value: signTest(3_000, 2_900), draws: null });
  });

  const MANY = [
    0.36, 0.64, 0.35, -0.63, 0.69, 0.42, -0.17, 0.5, 0.37, 0.33, 0.17, 0.48, -0.29, 0.05, -0.14, 0.51, 0.17,
    -0.03, -0.32, 0, 0.15, -0.02, 0.93, 0.75, -1.48, -0.98, 0.05, -0.1, 0.28, 0.28, 1.42, -0.52, -0.08, 1.38,
    0.54, 0.55, -0.16, -0.84, 0.25, 0.22,
  ];

  test('draws signs where they are too many to try all, the same ones for the same seed', () => {
    const { p_value, draws } = permutationTest(MANY);
    expect(draws).toBe(10_000);
    // scipy with 999,999 draws: 0.0979; the standard error of 10,000 draws is 0.003.
    expect(Math.abs(p_value - 0.0979)).toBeLessThan(0.012);
    expect(permutationTest(MANY)).toEqual({ p_value, draws });
    expect(permutationTest(MANY, { seed: 'other' }).p_value).not.toBe(p_value);
    expect(permutationTest(MANY.map((one) => -one)).p_value).toBeCloseTo(p_value, 1);
  });

  test('is never 0, since the observed signs are among those drawn', () => {
    const clear = Array.from({ length: 60 }, (_, index) => 1 + index / 100);
    expect(permutationTest(clear)).toEqual({ p_value: 1 / 10_001, draws: 10_000 });
  });
});

describe('Holm’s correction', () => {
  // statsmodels 0.15.0, multipletests(method='holm').
  test.each<[number[], number[]]>([
    [[], []],
    [[0.02], [0.02]],
    [
      [0.5, 0.6],
      [1, 1],
    ],
    [
      [0.01, 0.04, 0.03],
      [0.03, 0.06, 0.06],
    ],
    [
      [0.001, 0.001, 0.9, 0.02],
      [0.004, 0.004, 0.9, 0.04],
    ],
  ])('of %j is %j, in their order', (pValues, expected) => {
    const corrected = holm(pValues);
    expect(corrected).toHaveLength(expected.length);
    for (const [index, value] of expected.entries()) expect(corrected[index]).toBeCloseTo(value, 12);
  });
});
