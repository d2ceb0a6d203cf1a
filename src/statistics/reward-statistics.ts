import { type BootstrapOptions, clusteredMean, type Interval } from './clustered-bootstrap.js';
import { type PassEstimate, passEstimates, passWarning } from './pass-at-k.js';
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
  /** Judged trials of the task with the fewest, and with the most. */
  trials_per_task: { fewest: number; most: number };
  /** Where they differ: estimates of another k are of other tasks. */
  pass_warning?: string;
  /** Over all judged trials, each alike; the interval's clusters are the tasks. Null where nothing was judged. */
  mean_reward: Interval | null;
  /** For k from 1 to the most trials of a task, each task alike. */
  pass: PassEstimate[];
}

/** Rewards are sums of floating-point numbers, such as 0.9999999999999999 of ten tenths; 0.9999999999 is less than 1. */
const REWARD_TOLERANCE = 1e-12;

export function isSuccess(reward: number, successReward: number): boolean {
  return reward >= successReward - REWARD_TOLERANCE;
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
