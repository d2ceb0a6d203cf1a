import { describe, expect, test } from 'vitest';
import { comparePaired, signTest } from '../../src/statistics/paired.js';
import type { RewardRow } from '../../src/statistics/reward-rows.js';

const rows = (rewards: Record<string, number[]>): RewardRow[] =>
  Object.entries(rewards).flatMap(([task_id, trials]) =>
    trials.map((reward, trial) => ({ task_id, trial, reward })),
  );

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

describe('a paired comparison', () => {
  test('compares the tasks that both were judged on', () => {
    const left = rows({ a: [1, 1], b: [1, 0], c: [0], only: [1] });
    const right = rows({ a: [0, 0], b: [0, 1], c: [0.5], other: [0], more: [1] });
    expect(comparePaired(left, right)).toMatchObject({
      difference: { estimate: 0.5 / 3, clusters: 3 },
      pairs: 3,
      unpaired: 3,
      left_better: 1,
      right_better: 1,
      p_value: 1,
    });
  });

  test('has a narrower interval than the difference of two: what makes a task hard is the same for both', () => {
    const left = rows(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, [index / 20]])),
    );
    const right = left.map((row) => ({ ...row, reward: (row.reward ?? 0) - 0.1 }));
    const { difference, p_value } = comparePaired(left, right);
    expect(difference?.lower).toBeCloseTo(0.1, 10);
    expect(difference?.upper).toBeCloseTo(0.1, 10);
    expect(p_value).toBeCloseTo(2 / 2 ** 20, 12);
  });

  test('takes tasks that differ by rounding alone for equal, in whichever order their trials came', () => {
    const tasks = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const left = rows(Object.fromEntries(tasks.map((task) => [task, [0.1, 0.2, 0.3]])));
    const right = rows(Object.fromEntries(tasks.map((task) => [task, [0.3, 0.2, 0.1]])));
    for (const others of [right, left.toReversed()]) {
      expect(comparePaired(left, others)).toMatchObject({
        difference: { estimate: 0, lower: 0, upper: 0 },
        left_better: 0,
        right_better: 0,
        p_value: 1,
      });
    }
  });

  test('still sees small differences, and large rewards as they are', () => {
    expect(comparePaired(rows({ a: [1e-6] }), rows({ a: [0] })).left_better).toBe(1);
    expect(comparePaired(rows({ a: [1e9 * 0.3] }), rows({ a: [1e9 * (0.1 + 0.2)] })).right_better).toBe(0);
  });

  test('leaves errors out, and says nothing of nothing', () => {
    const failed: RewardRow[] = [{ task_id: 'a', trial: 0, reward: null, error: 'timeout' }];
    expect(comparePaired(failed, rows({ a: [1] }))).toEqual({
      difference: null,
      pairs: 0,
      unpaired: 1,
      left_better: 0,
      right_better: 0,
      p_value: 1,
    });
  });
});
