import { expect, test } from 'vitest';
import { AnytimeMean } from '../../src/statistics/anytime.js';
import { createRandom } from '../../src/statistics/random.js';

function after(values: readonly number[]): AnytimeMean {
  const mean = new AnytimeMean();
  for (const value of values) mean.add(value);
  return mean;
}

test('the interval is where neither side has won, and contains the mean', () => {
  const random = createRandom('coin');
  const mean = after(Array.from({ length: 400 }, () => Number(random() < 0.7)));
  const [low, high] = mean.interval;
  expect(low).toBeLessThan(mean.mean);
  expect(high).toBeGreaterThan(mean.mean);
  expect([low - 1e-9, high + 1e-9].map((value) => mean.excludes(value))).toEqual([true, true]);
  expect([low + 1e-9, high - 1e-9].map((value) => mean.excludes(value))).toEqual([false, false]);
  expect(high - low).toBeLessThan(0.18);
});

test('what is always the same is known soon, and nothing is known of nothing', () => {
  expect(new AnytimeMean().interval).toEqual([0, 1]);
  expect(after([1]).interval).toEqual([0, 1]);
  const [low, high] = after(Array.from({ length: 100 }, () => 1)).interval;
  expect(low).toBeGreaterThan(0.9);
  expect(high).toBe(1);
  expect(after(Array.from({ length: 100 }, () => 0)).interval[0]).toBe(0);
});

test('a value beyond 0 and 1 is refused', () => {
  expect(() => after([1.5])).toThrow('1.5 is not from 0 to 1');
  expect(() => after([Number.NaN])).toThrow(RangeError);
});

/** Share of comparisons that are decided at some of their 400 pairs. */
function decided(count: number, [one, other]: readonly [number, number], seed: string): number {
  const random = createRandom(seed);
  const values = () =>
    Array.from({ length: 400 }, () => (1 + Number(random() < other) - Number(random() < one)) / 2);
  return Array.from({ length: count }, values).filter((pairs) => after(pairs).excludes(0.5)).length / count;
}

test('an interval of a wanted length is reached in at most twice the values of a usual one', () => {
  const random = createRandom('aim');
  const mean = new AnytimeMean(0.05);
  const length = () => mean.interval[1] - mean.interval[0];
  while (mean.count < 1000 && length() > 0.1)
    for (let value = 0; value < 20; value += 1) mean.add(Number(random() < 0.7));
  // A usual one has this length at 323.
  expect(mean.count).toBeLessThan(650);
  expect(mean.excludes(0.7)).toBe(false);
});

test.each([
  [0.05, 0.7],
  [0.02, 0.9],
])('with the aim ± %d, at most one in twenty misses the mean %d', (aim, rate) => {
  const random = createRandom(`aim ${aim}`);
  const misses = () => {
    const mean = new AnytimeMean(aim);
    for (let value = 0; value < 500; value += 1) mean.add(Number(random() < rate));
    return mean.excludes(rate);
  };
  expect(Array.from({ length: 2000 }, misses).filter(Boolean).length).toBeLessThan(100);
});

test('of 2,000 comparisons of two that are alike, at most one in twenty is decided', () => {
  for (const rate of [0.5, 0.9]) expect(decided(2000, [rate, rate], `alike ${rate}`)).toBeLessThan(0.05);
});

test('a difference of 15 points is found in most comparisons of 400 pairs', () => {
  expect(decided(500, [0.5, 0.65], 'different')).toBeGreaterThan(0.75);
});
