import {
  type BootstrapOptions,
  clusteredBootstrap,
  clusterOf,
  type Interval,
} from './clustered-bootstrap.js';
import { type PassEstimate, passEstimates } from './pass-at-k.js';
import { judgedRewards, type RewardRow } from './reward-rows.js';

export interface RewardStatisticsOptions extends BootstrapOptions {
  /** A trial with at least this reward succeeded. Default 1. */
  successReward?: number;
}

/** What rewards by task and trial say of an agent. */
export interface RewardStatistics {
  /** Tasks with at least one judged trial. */
  tasks: number;
  /** Tasks whose every trial ended in an error. */
  tasks_without_rewards: number;
  /** Judged trials. */
  trials: number;
  /** Rows left out because of an error. */
  errors: number;
  successes: number;
  /** Judged trials of the task with the fewest, and with the most. Where they differ, each k has its own tasks. */
  trials_per_task: { fewest: number; most: number };
  /** Over all judged trials; the interval's clusters are the tasks. Null where nothing was judged. */
  mean_reward: Interval | null;
  /** For k from 1 to the most trials of a task. */
  pass: PassEstimate[];
}

/** Rewards are sums of floating-point numbers. */
const TOLERANCE = 1e-6;

export function isSuccess(reward: number, successReward: number): boolean {
  return reward >= successReward - TOLERANCE;
}

/**
 * Statistics of rewards. Errors are left out and counted: they are no failures of the agent. Where tasks have different
 * numbers of judged trials, the mean reward counts every trial alike, and pass@k and pass^k every task with at least k.
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
    mean_reward: clusteredBootstrap(rewards.map(clusterOf), bootstrap),
    pass: passEstimates(outcomes),
  };
}
