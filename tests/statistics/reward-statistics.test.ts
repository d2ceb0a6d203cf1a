import { describe, expect, test } from 'vitest';
import { type RewardRow, readRewardRow } from '../../src/statistics/reward-rows.js';
import { rewardStatistics } from '../../src/statistics/reward-statistics.js';
import { row } from '../support/rows.js';

/** Rows of tasks in order, a letter a trial: `y` succeeded, `n` failed, `e` is an error. */
function rows(tasks: Record<string, string>): RewardRow[] {
  return Object.entries(tasks).flatMap(([task_id, trials]) =>
    [...trials].map((outcome, trial): RewardRow => {
      if (outcome === 'e') return { task_id, trial, reward: null, error: { type: 'timeout' } };
      return { task_id, trial, reward: outcome === 'y' ? 1 : 0 };
    }),
  );
}

describe('statistics of rewards', () => {
  test('of equally many trials a task', () => {
    expect(rewardStatistics(rows({ a: 'yyyy', b: 'yynn', c: 'nnnn' }))).toMatchObject({
      tasks: 3,
      tasks_without_rewards: 0,
      trials: 12,
      errors: 0,
      successes: 6,
      trials_per_task: { fewest: 4, most: 4 },
      mean_reward: { estimate: 0.5, lower: 0, upper: 1, clusters: 3 },
    });
    const { pass } = rewardStatistics(rows({ a: 'yyyy', b: 'yynn', c: 'nnnn' }));
    expect(pass.map(({ k, tasks }) => [k, tasks])).toEqual([1, 2, 3, 4].map((k) => [k, 3]));
    const hat = [1 / 2, (1 + 1 / 6) / 3, 1 / 3, 1 / 3];
    const at = [1 / 2, (1 + 5 / 6) / 3, 2 / 3, 2 / 3];
    for (const [index, estimate] of pass.entries()) {
      expect(estimate.pass_hat_k).toBeCloseTo(hat[index] ?? Number.NaN, 12);
      expect(estimate.pass_at_k).toBeCloseTo(at[index] ?? Number.NaN, 12);
    }
  });

  test('errors are no failures: they are left out and counted', () => {
    const clean = rewardStatistics(rows({ a: 'yn', b: 'yy' }));
    const disturbed = rewardStatistics(rows({ a: 'yen', b: 'eyy', c: 'ee' }));
    expect(disturbed).toEqual({ ...clean, errors: 4, tasks_without_rewards: 1 });
  });

  test('of different numbers of trials count every trial in the mean, and every task with k trials in pass^k', () => {
    const { mean_reward, pass, trials_per_task } = rewardStatistics(rows({ a: 'yyy', b: 'n' }));
    expect(mean_reward?.estimate).toBe(0.75);
    expect(trials_per_task).toEqual({ fewest: 1, most: 3 });
    expect(pass).toEqual([
      { k: 1, pass_at_k: 0.5, pass_hat_k: 0.5, tasks: 2 },
      { k: 2, pass_at_k: 1, pass_hat_k: 1, tasks: 1 },
      { k: 3, pass_at_k: 1, pass_hat_k: 1, tasks: 1 },
    ]);
  });

  test('count as a success what reaches the reward of one, rounding aside', () => {
    const given = [0.7 + 0.1 + 0.1 + 0.1, 0.9, 1, 2].map((reward, trial) => ({
      task_id: 'a',
      trial,
      reward,
    }));
    expect(given[0]?.reward).toBeLessThan(1);
    expect(rewardStatistics(given).successes).toBe(3);
    expect(rewardStatistics(given, { successReward: 0.5 }).successes).toBe(4);
    expect(rewardStatistics(given, { successReward: 2 }).successes).toBe(1);
  });

  test('do not depend on the order of the rows', () => {
    // Three trials a task, which add up to another last bit in another order.
    const given = [0.13, 0.71, 0.29, 0.97, 0.53].flatMap((reward, index) =>
      [0.1, 0.2, 0.3].map((share, trial) => ({ task_id: `task ${index}`, trial, reward: reward * share })),
    );
    const options = { seed: 7, resamples: 50 };
    expect(rewardStatistics(given.toReversed(), options)).toEqual(rewardStatistics(given, options));
  });

  test('of nothing judged are empty', () => {
    expect(rewardStatistics(rows({ a: 'e' }))).toEqual({
      tasks: 0,
      tasks_without_rewards: 1,
      trials: 0,
      errors: 1,
      successes: 0,
      trials_per_task: { fewest: 0, most: 0 },
      mean_reward: null,
      pass: [],
    });
  });

  test('refuse a trial that is there twice', () => {
    expect(() => rewardStatistics([...rows({ a: 'y' }), ...rows({ a: 'n' })])).toThrow(
      /trial 0 of task a is there twice/,
    );
    // A trial that was repeated after an error is judged once.
    expect(rewardStatistics([...rows({ a: 'e' }), ...rows({ a: 'y' })])).toMatchObject({
      trials: 1,
      errors: 1,
    });
  });
});

describe('a row of rewards', () => {
  test.each([
    [
      { task_id: 'a', trial: 0, reward: 0.5, more: 1 },
      { task_id: 'a', trial: 0, reward: 0.5 },
    ],
    [
      { task_id: 3, trial: 1, reward: 0, error: null },
      { task_id: '3', trial: 1, reward: 0, error: null },
    ],
    [
      { id: 'row 7', task_id: 'a', trial: 0, reward: 1 },
      { task_id: 'a', trial: 0, reward: 1 },
    ],
    [
      { task_id: 'a', trial: 0, error: 'timeout' },
      { task_id: 'a', trial: 0, reward: null, error: 'timeout' },
    ],
    // τ-bench's row of an exception.
    [
      { task_id: 3, trial: 1, reward: 0, info: { error: 'RateLimitError', traceback: 'Trace…' }, traj: [] },
      { task_id: '3', trial: 1, reward: 0, error: 'RateLimitError' },
    ],
    // An exception without a message.
    [
      { task_id: 3, trial: 1, reward: 0, info: { error: '', traceback: 'Trace…' }, traj: [] },
      { task_id: '3', trial: 1, reward: 0, error: 'Trace…' },
    ],
    // What an environment says of a judged trial.
    [
      { task_id: 3, trial: 1, reward: 0, info: { error: 'no such flight', task: {} }, traj: [] },
      { task_id: '3', trial: 1, reward: 0 },
    ],
    [
      { task_id: 3, trial: 1, reward: 1, info: { traceback: null }, error: null },
      { task_id: '3', trial: 1, reward: 1, error: null },
    ],
  ])('%j is read', (value, expected) => {
    expect(readRewardRow(value)).toEqual(expected);
  });

  test.each([
    [{ trial: 0, reward: 1 }, /task_id/],
    [{ id: 'a', task_id: null, trial: 0, reward: 1 }, /task_id/],
    [{ task_id: 'a', reward: 1 }, /trial: is missing; write 0 where a task has one/],
    [{ task_id: 'a', trial: 'x', reward: 1 }, /trial: Invalid input: expected number/],
    [{ task_id: 'a', trial: 0, reward: '1' }, /reward/],
    [{ task_id: 'a', trial: 0 }, /neither a reward nor an error/],
    [{ task_id: 'a', trial: 0, reward: null, error: false }, /neither a reward nor an error/],
    [{ task_id: 'a', trial: 0, reward: null, error: 0 }, /neither a reward nor an error/],
    [{ task_id: 'a', trial: 0, error: { type: null, code: 0 } }, /neither a reward nor an error/],
    ['a', /row/],
  ])('%j is refused', (value, message) => {
    expect(() => readRewardRow(value)).toThrow(TypeError);
    expect(() => readRewardRow(value)).toThrow(message);
  });

  test.each([
    ['an error with a reward of 0', { reward: 0, error: 'timeout' }, 1],
    ['an error that is true', { reward: 1, error: true }, 1],
    ['an error that is empty', { reward: 1, error: '' }, 0],
    ['an error that is false', { reward: 1, error: false }, 0],
    ['an error that is 0', { reward: 0, error: 0 }, 0],
    ['an error that is an empty list', { reward: 0, error: [] }, 0],
    ['an error that is an empty mapping', { reward: 0, error: {} }, 0],
    ['an error of nothing', { reward: 0, error: { type: null, message: '', code: 0, causes: [] } }, 0],
    ['an error that is a code', { reward: 0, error: -1 }, 1],
    ['an error that is a list', { reward: 0, error: ['timeout'] }, 1],
    ['an error that is a mapping', { reward: 0, error: { type: 'timeout', message: '' } }, 1],
    ['an error whose text may be its message', { reward: 0, error: 'None' }, 1],
    ['an empty error without a reward', { reward: null, error: {} }, 1],
  ])('with %s', (_, fields, errors) => {
    expect(rewardStatistics([{ task_id: 'a', trial: 0, ...fields }]).errors).toBe(errors);
  });
});

test('the rows of a run are rows of rewards', () => {
  const results = [row('s1', 0, 'yes'), row('s1', 1, 'no'), row('s2', 0, 'timeout'), row('s2', 1, 'yes')];
  expect(rewardStatistics(results.map(readRewardRow))).toMatchObject({
    tasks: 2,
    trials: 3,
    successes: 2,
    errors: 1,
    mean_reward: { estimate: 2 / 3 },
  });
});
