import { describe, expect, test } from 'vitest';
import { LLMEvaluatedTrajectory } from '../../src/trajectories/evaluated-trajectory.js';
import {
  episodeReturn,
  isTruncated,
  monteCarloReturns,
  returnsOf,
  withReturns,
} from '../../src/trajectories/returns.js';
import { Trajectory } from '../../src/trajectories/trajectory.js';
import { episode, FAILED } from './support.js';

describe('Monte-Carlo returns', () => {
  test.each([
    [[1, 2, 4], 1, [7, 6, 4]],
    [[1, 2, 4], 0.5, [3, 4, 4]],
    [[1, 2, 4], 0, [1, 2, 4]],
    [[0, 0, 1], 0.5, [0.25, 0.5, 1]],
    [[-1, 0, 8], 0.5, [1, 4, 8]],
    [[null, null, 1], 0.5, [0.25, 0.5, 1]],
    [[1, null, null], 1, [1, 0, 0]],
    [[0, null], 1, [0, 0]],
    [[null, null], 1, [null, null]],
    [[3], 0.9, [3]],
    [[], 1, []],
  ])('of rewards %j with discount %d are %j', (rewards, discount, expected) => {
    expect(monteCarloReturns(rewards, discount)).toEqual(expected);
  });

  test.each([-0.1, 1.1, Number.NaN])('with discount %d are refused', (discount) => {
    expect(() => monteCarloReturns([1], discount)).toThrow(RangeError);
  });
});

test('an episode that an error ended has no returns, whatever it was rewarded before', () => {
  const failed = episode('t', [1, null], { error_info: FAILED });
  expect(returnsOf(failed, 1)).toEqual([null, null]);
  expect(episodeReturn(failed)).toBeNull();
  expect(episodeReturn(episode('t', [1, 2]))).toBe(3);
  expect(episodeReturn(episode('t', [1, 2]), 0.5)).toBe(2);
});

describe('an episode that was cut', () => {
  const cut = (rewards: number[]) => {
    const { timesteps, ...whole } = episode('t', rewards);
    const last = timesteps.length - 1;
    return { ...whole, timesteps: timesteps.map((step, at) => ({ ...step, truncated: at === last })) };
  };

  test('has the returns of one that ended, unless somebody says what is to be expected after it', () => {
    expect(returnsOf(cut([0, 1]), 0.5)).toEqual([0.5, 1]);
    expect(returnsOf(cut([0, 1]), 0.5, 4)).toEqual([1.5, 3]);
    expect(returnsOf(cut([0, 1]), 0.5, null)).toEqual([null, null]);
    expect(returnsOf(cut([0, 1]), 1, ({ timesteps }) => timesteps.length)).toEqual([3, 3]);
    expect(withReturns(cut([0, 1]), 0.5, null).timesteps.map(({ mc_return }) => mc_return)).toEqual([
      null,
      null,
    ]);
  });

  test('is told apart from one that ended, which nothing is expected after', () => {
    expect([isTruncated(cut([1])), isTruncated(episode('t', [1]))]).toEqual([true, false]);
    expect(returnsOf(episode('t', [0, 1]), 0.5, 4)).toEqual([0.5, 1]);
  });
});

test('returns of rewards as large as numbers get are finite', () => {
  expect(monteCarloReturns([1e308, 1e308, 1e308], 1)).toEqual([Number.MAX_VALUE, Number.MAX_VALUE, 1e308]);
});

test('withReturns fills in mc_return and leaves the rest, and what it was given, as it was', () => {
  const given = episode('t', [0, 1]);
  const [first, second] = given.timesteps;
  const made = withReturns(given, 0.5);
  expect(made).toEqual({
    ...given,
    timesteps: [
      { ...first, mc_return: 0.5 },
      { ...second, mc_return: 1 },
    ],
  });
  expect(first?.mc_return).toBeNull();
});

test('instances are taken as well, and what a judge said stays', () => {
  const given = Trajectory.parse(episode('t', [0, 1]));
  expect(Trajectory.parse(withReturns(given, 1)).timesteps.map(({ mc_return }) => mc_return)).toEqual([1, 1]);
  const timesteps = given.timesteps.map((step) => ({ ...step.toJSON(), judge_response: { score: 0.5 } }));
  const judged = LLMEvaluatedTrajectory.fromTrajectory(given, { timesteps, judge_response: { score: 1 } });
  const filled = LLMEvaluatedTrajectory.parse(withReturns(judged, 1));
  expect(filled.evaluation).toEqual({ score: 1 });
  expect(filled.timesteps[1]).toMatchObject({ judge_response: { score: 0.5 }, mc_return: 1 });
});
