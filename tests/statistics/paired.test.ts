import { describe, expect, test } from 'vitest';
import { comparePaired, type ValuesBySample } from '../../src/statistics/paired.js';
import { AIME } from '../support/aime-outcomes.js';

const values = (rewards: Record<string, number[]>): ValuesBySample => new Map(Object.entries(rewards));
const outcomes = (column: 'baseline' | 'cheatsheet') =>
  values(Object.fromEntries(AIME.map((sample) => [sample.id, [sample[column]]])));

describe('a comparison of right and wrong', () => {
  test('has the figures of the recorded AIME runs, 7 against 15 of 30', () => {
    const compared = comparePaired(outcomes('baseline'), outcomes('cheatsheet'));
    expect(compared).toMatchObject({
      pairs: 30,
      better: 9,
      worse: 1,
      equal: 20,
      outcomes: { both: 6, baseline_only: 1, other_only: 9, neither: 14 },
      interval: { method: 'newcombe', confidence: 0.95 },
      test: { method: 'mcnemar', draws: null },
    });
    expect(compared.baseline).toBeCloseTo(7 / 30, 12);
    expect(compared.other).toBeCloseTo(15 / 30, 12);
    expect(compared.difference).toBeCloseTo(8 / 30, 12);
    // scipy 1.17.1 (sem), Newcombe's method over statsmodels 0.15.0, statsmodels mcnemar(exact=True).
    expect(compared.stderr).toBeCloseTo(0.09509019714917902, 12);
    expect(compared.interval?.lower).toBeCloseTo(0.06505104222640029, 10);
    expect(compared.interval?.upper).toBeCloseTo(0.4382472754167953, 10);
    expect(compared.test?.p_value).toBeCloseTo(0.021484375, 12);
  });

  test('changes its sign, and nothing else, with the baseline', () => {
    const forth = comparePaired(outcomes('baseline'), outcomes('cheatsheet'));
    const back = comparePaired(outcomes('cheatsheet'), outcomes('baseline'));
    expect(back.difference).toBeCloseTo(-(forth.difference as number), 12);
    expect(back.interval?.lower).toBeCloseTo(-(forth.interval?.upper as number), 10);
    expect(back.test).toEqual(forth.test);
    expect([back.better, back.worse]).toEqual([forth.worse, forth.better]);
  });

  test('of two experiments that are alike says that they may still differ', () => {
    const alike = comparePaired(outcomes('baseline'), outcomes('baseline'));
    expect(alike).toMatchObject({ difference: 0, equal: 30, test: { p_value: 1 } });
    expect(alike.interval?.lower).toBeLessThan(-0.05);
    expect(alike.interval?.upper).toBeGreaterThan(0.05);
  });
});

describe('a comparison of rewards, or of several trials', () => {
  test('has Student’s interval and a permutation test', () => {
    const other = values({ a: [0.25], b: [0], c: [0.75], d: [0.5], e: [0], f: [1], g: [0.25] });
    const baseline = values({ a: [0], b: [0.5], c: [0], d: [0], e: [0], f: [0], g: [0] });
    const compared = comparePaired(baseline, other);
    expect(compared.outcomes).toBeUndefined();
    expect(compared.test).toEqual({ method: 'permutation', p_value: 0.1875, draws: null });
    // scipy 1.17.1, ttest_rel(other, baseline).confidence_interval(0.95), sem.
    expect(compared.interval?.lower).toBeCloseTo(-0.13545610445398926, 9);
    expect(compared.interval?.upper).toBeCloseTo(0.7783132473111322, 9);
    expect(compared.stderr).toBeCloseTo(0.18671889453997761, 12);
  });

  test('has the t interval of the recorded AIME runs where each was tried twice with the same result', () => {
    const twice = (column: 'baseline' | 'cheatsheet') =>
      values(Object.fromEntries(AIME.map((sample) => [sample.id, [sample[column], sample[column]]])));
    const { interval, test: tested } = comparePaired(twice('baseline'), twice('cheatsheet'));
    expect(interval?.method).toBe('student_t');
    expect(interval?.lower).toBeCloseTo(0.0721853767809231, 9);
    expect(interval?.upper).toBeCloseTo(0.46114795655241025, 9);
    // Twice as many trials are no more samples.
    expect(tested).toEqual({ method: 'permutation', p_value: expect.closeTo(0.021484375, 12), draws: null });
  });

  test('pairs the means over trials of the samples that both were judged on', () => {
    const other = values({ a: [1, 1], b: [1, 0], c: [0], only: [1], none: [] });
    const baseline = values({ a: [0, 0], b: [0, 1], c: [0.5], more: [1], none: [1] });
    expect(comparePaired(baseline, other)).toMatchObject({
      pairs: 3,
      difference: expect.closeTo(0.5 / 3, 12),
      better: 1,
      worse: 1,
      equal: 1,
    });
  });

  test('has an interval as narrow as the differences: what makes a sample hard is the same for both', () => {
    const ids = Array.from({ length: 20 }, (_, index) => index);
    const baseline = values(Object.fromEntries(ids.map((id) => [`t${id}`, [id / 20]])));
    const other = values(Object.fromEntries(ids.map((id) => [`t${id}`, [id / 20 + 0.1 + (id % 2) / 1000]])));
    const { interval } = comparePaired(baseline, other);
    expect((interval?.upper as number) - (interval?.lower as number)).toBeLessThan(0.001);
  });

  test('takes samples that differ by rounding alone for equal, in whichever order their trials came', () => {
    const tasks = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const baseline = values(Object.fromEntries(tasks.map((task) => [task, [0.1, 0.2, 0.3]])));
    const other = values(Object.fromEntries(tasks.map((task) => [task, [0.3, 0.2, 0.1]])));
    expect(comparePaired(baseline, other)).toMatchObject({ difference: 0, equal: 20, test: { p_value: 1 } });
  });

  test('still sees small differences, and large rewards as they are', () => {
    expect(comparePaired(values({ a: [0] }), values({ a: [1e-6] })).better).toBe(1);
    expect(comparePaired(values({ a: [1e9 * (0.1 + 0.2)] }), values({ a: [1e9 * 0.3] })).equal).toBe(1);
  });
});

describe('a comparison of samples that are not independent', () => {
  const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
  const passageOf = (id: string) => `${Math.floor(Number(id.slice(1)) / 10)}`;
  const of = (right: (index: number) => number[]) =>
    values(Object.fromEntries(ids.map((id, index) => [id, right(index)])));
  // The other one is right in all ten questions on the first of four passages.
  const [baseline, other] = [of(() => [0]), of((index) => [Number(index < 10)])];

  test('counts what they have in common as one', () => {
    const alone = comparePaired(baseline, other);
    expect(alone.test).toMatchObject({ method: 'mcnemar', p_value: 2 ** -9 });
    const clustered = comparePaired(baseline, other, { clusterOf: passageOf });
    expect(clustered).toMatchObject({
      pairs: 40,
      clusters: 4,
      difference: 0.25,
      outcomes: alone.outcomes,
      interval: { method: 'student_t' },
      // One passage of four has changed, and it may as well have become worse.
      test: { method: 'permutation', p_value: 1, draws: null },
    });
    // √(4/3 · (7.5² + 3 · 2.5²)) / 40, and Student's t of three degrees of freedom.
    expect(clustered.stderr).toBeCloseTo(0.25, 12);
    expect(clustered.interval?.lower).toBeCloseTo(0.25 - 3.182446305 * 0.25, 8);
    expect(clustered.interval?.upper).toBeCloseTo(0.25 + 3.182446305 * 0.25, 8);
  });

  test('is the usual one where each has a value of its own, or none', () => {
    const usual = comparePaired(baseline, other);
    for (const clusterOf of [(id: string) => id, () => null])
      expect(comparePaired(baseline, other, { clusterOf })).toEqual(usual);
    // Those without a value stand alone, whatever their ids are called.
    const some = comparePaired(baseline, other, { clusterOf: (id) => (id < 's2' ? passageOf(id) : null) });
    expect(some.clusters).toBeGreaterThan(4);
  });

  test('has no interval of one cluster, nor where gains and losses of each are as large', () => {
    const together = comparePaired(baseline, other, { clusterOf: () => 'all' });
    expect(together).toMatchObject({ clusters: 1, stderr: null, interval: null, test: { p_value: 1 } });
    const [third, twoThirds] = [
      of((index) => [index % 2 ? 0.1 : 0.3]),
      of((index) => [index % 2 ? 0.3 : 0.1]),
    ];
    const even = comparePaired(third, twoThirds, { clusterOf: passageOf });
    expect(even).toMatchObject({ clusters: 4, interval: null, test: { p_value: 1 } });
  });
});

describe('a comparison without a figure', () => {
  test.each<[string, Record<string, number[]>, Record<string, number[]>, object]>([
    ['no sample in both', { a: [1] }, { b: [1] }, { pairs: 0, difference: null, interval: null, test: null }],
    ['only errors', { a: [] }, { a: [1] }, { pairs: 0, baseline: null, other: null, stderr: null }],
    ['nothing at all', {}, {}, { pairs: 0, better: 0, worse: 0, equal: 0 }],
    ['one pair', { a: [0.2] }, { a: [0.5] }, { difference: 0.3, stderr: null, interval: null }],
    [
      'differences that are all the same',
      { a: [0.1], b: [0.2] },
      { a: [0.2], b: [0.3] },
      { interval: null, test: { p_value: 0.5 } },
    ],
    [
      'no difference',
      { a: [0.5], b: [2] },
      { a: [0.5], b: [2] },
      { difference: 0, interval: null, test: { p_value: 1 } },
    ],
  ])('%s', (_name, baseline, other, expected) => {
    const compared = comparePaired(values(baseline), values(other));
    expect(compared).toMatchObject(expected);
    expect(JSON.stringify(compared)).toBe(
      JSON.stringify(compared, (_key, value) => (Number.isNaN(value) ? 'NaN' : value)),
    );
  });
});
