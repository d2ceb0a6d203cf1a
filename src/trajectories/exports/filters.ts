import { isSuccess } from '../../statistics/reward-statistics.js';
import { episodeReturn, isTruncated } from '../returns.js';
import type { TrajectoryData } from '../schema.js';

export interface TrajectoryFilter {
  /** Minimum sum of rewards. */
  minimumReward?: number;
  /** True to keep only those with `isSuccessful`. */
  successful?: boolean;
  /** True to leave out those that an error ended. */
  withoutErrors?: boolean;
  /** True to leave out those that a limit or an error cut. */
  withoutTruncated?: boolean;
}

/**
 * Reports whether an episode succeeded: by `success` of its evaluation where it has one, otherwise where its rewards
 * sum to 1 or more. An episode that ended in an error did not.
 */
export function isSuccessful(trajectory: TrajectoryData): boolean {
  if (trajectory.error_info !== null) return false;
  const { are_evaluation, judge_response } = trajectory as {
    are_evaluation?: Record<string, unknown>;
    judge_response?: Record<string, unknown> | null;
  };
  const success = are_evaluation?.success ?? judge_response?.success;
  if (typeof success === 'boolean') return success;
  if (typeof success === 'number') return isSuccess(success, 1);
  return isSuccess(episodeReturn(trajectory) ?? 0, 1);
}

/** Reports whether a filter keeps a trajectory. An unknown reward is below any minimum. */
export function isKept(trajectory: TrajectoryData, filter: TrajectoryFilter): boolean {
  if (filter.withoutErrors === true && trajectory.error_info !== null) return false;
  if (filter.withoutTruncated === true && isTruncated(trajectory)) return false;
  if (filter.successful === true && !isSuccessful(trajectory)) return false;
  if (filter.minimumReward === undefined) return true;
  const reward = episodeReturn(trajectory);
  return reward !== null && isSuccess(reward, filter.minimumReward);
}
