import { describe, expect, test } from 'vitest';
import { type AdvantageOptions, groupAdvantages, withAdvantages } from '../../src/trajectories/advantages.js';
import type { TrajectoryData } from '../../src/trajectories/schema.js';
import { episode, FAILED } from './support.js';

describe('advantages of a group over its mean', () => {
  test.each([
    [
      [1, 0, 0, 1],
      [0.5, -0.5, -0.5, 0.5],
    ],
    [
      [1, 0, 0, 0],
      [0.75, -0.25, -0.25, -0.25],
    ],
    [
      [1, null, 0],
      [0.5, null, -0.5],
    ],
    [
      [0.1, 0.1, 0.1],
      [0, 0, 0],
    ],
    [[2], [0]],
    [
      [null, null],
      [null, null],
    ],
    [[], []],
  ])('%j are %j', (scores, expected) => {
    expect(groupAdvantages(scores, { scale: 'none' })).toEqual(expected);
  });

  test.each([
    // Deviations −1, 0, 1: the sample's standard deviation is 1.
    [[1, 2, 3], 0, [-1, 0, 1]],
    [[1, 2, 3], 1, [-0.5, 0, 0.5]],
    // Deviations −3, −1, 1, 3: variance 20 / 3.
    [[0, 2, 4, 6], 0, [-3, -1, 1, 3].map((deviation) => deviation / Math.sqrt(20 / 3))],
    [[null, 1, 3], 0, [null, -1 / Math.SQRT2, 1 / Math.SQRT2]],
    [[0.1, 0.1, 0.1], 0, [0, 0, 0]],
    [[5], 0, [0]],
  ])('%j, divided by their standard deviation + %d, are %j', (scores, epsilon, expected) => {
    expect(groupAdvantages(scores, { scale: 'standard_deviation', epsilon })).toEqual(expected);
  });

  test.each(['none', 'standard_deviation'] as const)(
    'of scores as large as numbers get are finite: %s',
    (scale) => {
      const large = groupAdvantages([1e308, -1e308, 1e308, 0], { scale }) as number[];
      expect(large.every(Number.isFinite)).toBe(true);
      const small = groupAdvantages([1, -1, 1, 0], { scale, epsilon: 0 }) as number[];
      const unit = scale === 'none' ? 1e308 : 1;
      for (const [at, advantage] of large.entries())
        expect(advantage / unit).toBeCloseTo(small[at] as number, 10);
    },
  );

  test('what is added to the standard deviation is 1e-4 where nothing is said', () => {
    const [first] = groupAdvantages([1, 2, 3], { scale: 'standard_deviation' });
    expect(first).toBe(-1 / (1 + 1e-4));
  });
});

describe('advantages of trajectories', () => {
  const filled = (trajectories: TrajectoryData[], options: Partial<AdvantageOptions> = {}) =>
    withAdvantages(trajectories, { discount: 1, scale: 'none', ...options }).map(({ timesteps }) =>
      timesteps.map(({ mc_return, advantage }) => [mc_return, advantage]),
    );

  test('are those over the attempts at the same task, for every step alike', () => {
    const trajectories = [
      episode('a', [0, 1]),
      episode('b', [4]),
      episode('a', [0]),
      episode('b', [2]),
      episode('c', [1]),
    ];
    expect(filled(trajectories)).toEqual([
      [
        [1, 0.5],
        [1, 0.5],
      ],
      [[4, 1]],
      [[0, -0.5]],
      [[2, -1]],
      [[1, 0]],
    ]);
  });

  test('credit a step with what follows it, where asked', () => {
    // Returns 3, 2, 0 and 1: the baseline is (3 + 1) / 2.
    const trajectories = [episode('a', [1, 2, 0]), episode('a', [1])];
    expect(filled(trajectories, { credit: 'step' })).toEqual([
      [
        [3, 1],
        [2, 0],
        [0, -2],
      ],
      [[1, -1]],
    ]);
  });

  test('take the discounted return for the score', () => {
    const trajectories = [episode('a', [0, 0, 4]), episode('a', [0])];
    expect(filled(trajectories, { discount: 0.5 })).toEqual([
      [
        [1, 0.5],
        [2, 0.5],
        [4, 0.5],
      ],
      [[0, -0.5]],
    ]);
  });

  test('leave errors and what was never judged out of the group', () => {
    const trajectories = [
      episode('a', [1]),
      episode('a', [0], { error_info: FAILED }),
      episode('a', [null]),
      episode('a', [0]),
      episode('b', [null]),
    ];
    expect(filled(trajectories)).toEqual([
      [[1, 0.5]],
      [[null, null]],
      [[null, null]],
      [[0, -0.5]],
      [[null, null]],
    ]);
  });

  test('group by whatever is asked for, and say when they cannot', () => {
    const trajectories = [1, 0].map((reward) => episode('', [reward], { reset_kwargs: { task: 'a' } }));
    expect(() => filled(trajectories)).toThrow(/no reset_kwargs.task_id/);
    const groupOf = ({ reset_kwargs }: TrajectoryData) => String(reset_kwargs.task);
    expect(filled(trajectories, { groupOf })).toEqual([[[1, 0.5]], [[0, -0.5]]]);
  });
});

test('episodes that were cut count with what is to be expected after them, or not at all', () => {
  const cut = episode('t', [0]);
  const timesteps = cut.timesteps.map((step) => ({ ...step, truncated: true }));
  const given = [episode('t', [1]), { ...cut, timesteps }, episode('t', [0])];
  const advantages = (truncationValue?: number | null) =>
    withAdvantages(given, { discount: 1, scale: 'none', truncationValue }).map(
      (one) => one.timesteps[0]?.advantage,
    );
  expect(advantages()).toEqual([1 - 1 / 3, -1 / 3, -1 / 3]);
  expect(advantages(0.5)).toEqual([0.5, 0, -0.5]);
  expect(advantages(null)).toEqual([0.5, null, -0.5]);
});
