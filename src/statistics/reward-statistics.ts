import { type BootstrapOptions, clusteredMean, type Estimate } from './clustered-bootstrap.js';
import { type PassEstimate, passEstimates, passWarning } from './pass-at-k.js';
import { judgedRewards, type RewardRow } from './reward-rows.js';

export interface RewardStatisticsOptions extends BootstrapOptions {
  /** Minimum reward of a success. Default 1. */
  successReward?: number;
}

/** Statistics of an agent's rewards by task and trial. */
export interface RewardStatistics {
  /** Tasks with at least one judged trial. */
  tasks: number;
  /** Tasks in which every trial ended in an error. */
  tasks_without_rewards: number;
  /** Judged trials. */
  trials: number;
  /** Rows left out because of an error. */
  errors: number;
  successes: number;
  /** Smallest and largest number of judged trials of a task. */
  trials_per_task: { fewest: number; most: number };
  /** Warning where they differ: estimates of each k have other tasks. */
  pass_warning?: string;
  /** Mean over all judged trials; the interval's clusters are the tasks. Null where nothing was judged. */
  mean_reward: Estimate | null;
  /** Estimates for k from 1 to the most trials of a task; tasks weigh the same. */
  pass: PassEstimate[];
}

/** Tolerance for sums of floating-point numbers, such as 0.9999999999999999; 0.9999999999 is less than 1. */
const REWARD_TOLERANCE = 1e-12;

export function isSuccess(reward: number, successReward: number): boolean {
  return reward >= successReward - REWARD_TOLERANCE;
}

/**
 * Computes statistics of rewards. Errors are left out and counted: they are not failures of the agent. The mean reward
 * weighs all judged trials the same, pass@k and pass^k all tasks with at least k judged trials.
 */
export function rewardStatistics(
  rows: Iterable<RewardRow>,
  { successReward = 1, ...bootstrap }: RewardStatisticsOptions = {},
): RewardStatistics {
  const { byTask, judged, errors, tasks_without_rewards } = judgedRewards(rows);
  const rewards = [...byTask.values()];
  const outcomes = rewards.map((task) => ({
    trials: task.length,
    successes: task.filter((reward) => isSuccess(reward, successReward)).length,
  }));
  const counts = rewards.map(({ length }) => length);
  const warning = passWarning(counts, { trial: 'trial', task: 'task' });
  return {
    tasks: rewards.length,
    tasks_without_rewards,
    trials: judged,
    errors,
    successes: outcomes.reduce((sum, { successes }) => sum + successes, 0),
    trials_per_task: {
      fewest: counts.reduce((least, count) => Math.min(least, count), counts[0] ?? 0),
      most: counts.reduce((most, count) => Math.max(most, count), 0),
    },
    ...(warning === null ? {} : { pass_warning: warning }),
    mean_reward: clusteredMean(rewards, bootstrap),
    pass: passEstimates(outcomes),
  };
}
