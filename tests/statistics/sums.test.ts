import { describe, expect, test } from 'vitest';
import { clusteredBootstrap, clusteredMean, clusterOf } from '../../src/statistics/clustered-bootstrap.js';
import { comparePaired } from '../../src/statistics/paired.js';
import { createRandom } from '../../src/statistics/random.js';
import { rewardStatistics } from '../../src/statistics/reward-statistics.js';
import { meanOf, Sum, sumOf } from '../../src/statistics/sums.js';

const MOST = Number.MAX_VALUE;

describe('sums and means', () => {
  test('are those of plain adding, to the last bit, where nothing overflows', () => {
    const random = createRandom('sums');
    for (let round = 0; round < 200; round += 1) {
      const values = Array.from({ length: 30 }, () => (random() - 0.5) * 10 ** Math.floor(random() * 40));
      const plain = values.reduce((sum, value) => sum + value, 0);
      expect(sumOf(values)).toBe(plain);
      expect(meanOf(values)).toBe(plain / values.length);
    }
  });

  test.each([
    [[1e308, 1e308], MOST, 1e308],
    [[1e308, 1e308, -1e308], 1e308, 1e308 / 3],
    [[MOST, MOST, MOST, MOST], MOST, MOST],
    [[-MOST, -MOST], -MOST, -MOST],
    [[MOST, -MOST], 0, 0],
    [[1e308, 1], 1e308, 5e307],
  ])('of %j are finite', (values, sum, mean) => {
    expect(sumOf(values)).toBe(sum);
    expect(meanOf(values) / mean || 1).toBeCloseTo(1, 12);
    expect(Math.abs(meanOf(values))).toBeLessThanOrEqual(MOST);
  });

  test('of nothing have no mean', () => {
    expect([new Sum().total, new Sum().mean]).toEqual([0, null]);
  });
});

describe('intervals of rewards as large as numbers get', () => {
  const isFiniteNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);

  test.each<[string, number[][]]>([
    ['many large ones in a task', [[1e308, 1e308, 1e308], [0], [1]]],
    ['all of the largest but one', [[MOST], [MOST], [MOST], [0]]],
    ['both signs', [[MOST, MOST], [-MOST, -MOST], [0.5]]],
  ])('%s', (_name, groups) => {
    const interval = clusteredMean(groups);
    expect([interval?.estimate, interval?.lower, interval?.upper].every(isFiniteNumber)).toBe(true);
    expect(interval?.lower).toBeLessThanOrEqual(interval?.estimate as number);
    expect(interval?.upper).toBeGreaterThanOrEqual(interval?.estimate as number);
    const rows = groups.flatMap((rewards, task) =>
      rewards.map((reward, trial) => ({ task_id: `${task}`, trial, reward })),
    );
    expect(rewardStatistics(rows).mean_reward).toEqual(interval);
    const bySample = (sign: number) =>
      new Map(groups.map((rewards, task) => [`${task}`, rewards.map((reward) => sign * reward)]));
    const { difference, stderr, interval: bounds, test: tested } = comparePaired(bySample(1), bySample(-1));
    const figures = [
      difference,
      stderr,
      tested?.p_value,
      ...(bounds === null ? [] : [bounds.lower, bounds.upper]),
    ];
    expect(figures.every(isFiniteNumber)).toBe(true);
  });

  test('are those of smaller ones, scaled', () => {
    const groups = [[1, 2], [3], [0, 0, 1]];
    const large = clusteredMean(groups.map((values) => values.map((value) => value * 2 ** 1021)));
    const plain = clusteredMean(groups);
    expect(large?.estimate).toBe((plain?.estimate as number) * 2 ** 1021);
    expect(large?.lower).toBe((plain?.lower as number) * 2 ** 1021);
    expect(plain).toEqual(clusteredBootstrap(groups.map(clusterOf)));
  });
});
