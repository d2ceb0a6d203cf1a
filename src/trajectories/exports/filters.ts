import { isSuccess } from '../../statistics/reward-statistics.js';
import { episodeReturn, isTruncated } from '../returns.js';
import type { TrajectoryData } from '../schema.js';

export interface TrajectoryFilter {
  /** Keeps trajectories whose rewards sum to at least this. */
  minimumReward?: number;
  /** Keeps those that succeeded, see `isSuccessful`. */
  successful?: boolean;
  /** Leaves out those that an error ended. */
  withoutErrors?: boolean;
  /** Leaves out those that a limit or an error cut. */
  withoutTruncated?: boolean;
}

/**
 * Whether an episode succeeded: what its evaluation says under `success` where it has one, and otherwise whether its
 * rewards sum to 1 or more. An episode that ended in an error did not.
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

/** Whether a filter keeps a trajectory. Where no reward is known, none is large enough. */
export function isKept(trajectory: TrajectoryData, filter: TrajectoryFilter): boolean {
  if (filter.withoutErrors === true && trajectory.error_info !== null) return false;
  if (filter.withoutTruncated === true && isTruncated(trajectory)) return false;
  if (filter.successful === true && !isSuccessful(trajectory)) return false;
  if (filter.minimumReward === undefined) return true;
  const reward = episodeReturn(trajectory);
  return reward !== null && isSuccess(reward, filter.minimumReward);
}
