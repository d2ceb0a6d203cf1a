import { sumOf } from '../statistics/sums.js';
import type { TimeStepData, TrajectoryData } from './schema.js';

function checkDiscount(discount: number): void {
  if (!(discount >= 0 && discount <= 1)) {
    throw new RangeError(`the discount must be between 0 and 1, not ${discount}`);
  }
}

/**
 * Computes the Monte-Carlo return of every step, G_t = r_t + γ·G_{t+1} (Sutton and Barto, Reinforcement Learning, 3.3),
 * from the rewards in order, with `following` as the G after the last. A null reward counts as 0, as in a sparse
 * reward; where all are null, the returns are unknown and null. Throws RangeError for a discount γ outside of [0, 1].
 */
export function monteCarloReturns(
  rewards: readonly (number | null)[],
  discount: number,
  following = 0,
): (number | null)[] {
  checkDiscount(discount);
  if (rewards.every((reward) => reward === null)) return rewards.map(() => null);
  const returns = new Array<number>(rewards.length);
  let after = following;
  for (let step = rewards.length - 1; step >= 0; step -= 1) {
    after = sumOf([rewards[step] ?? 0, discount * after]);
    returns[step] = after;
  }
  return returns;
}

/**
 * Expected return after a truncated step, since the episode could have continued: the value of the state in which it
 * was cut, as a function or as one number for all. null: unknown, so that the returns are unknown as well.
 */
export type TruncationValue = number | null | ((trajectory: TrajectoryData) => number | null);

/**
 * Computes the returns of a trajectory's steps; all null where an error ended the episode, which is not a score.
 * @param truncationValue default 0, as if a cut episode had ended
 */
export function returnsOf(
  trajectory: TrajectoryData,
  discount: number,
  truncationValue: TruncationValue = 0,
): (number | null)[] {
  const rewards = trajectory.timesteps.map(({ reward }) => reward);
  const value = typeof truncationValue === 'function' ? truncationValue(trajectory) : truncationValue;
  const following = isTruncated(trajectory) ? value : 0;
  const isKnown = trajectory.error_info === null && following !== null;
  return monteCarloReturns(isKnown ? rewards : rewards.map(() => null), discount, following ?? 0);
}

/** True if a limit or an error cut the episode before the environment was in a terminal state. */
export function isTruncated({ timesteps }: TrajectoryData): boolean {
  return timesteps.at(-1)?.truncated === true;
}

/** Computes the return from the first step on: with discount 1, the sum of the rewards. Null where it is unknown. */
export function episodeReturn(trajectory: TrajectoryData, discount = 1): number | null {
  return returnsOf(trajectory, discount)[0] ?? null;
}

/** Returns a trajectory, instance or data, as data with fields of its steps replaced; keeps evaluations. */
export function withSteps(
  trajectory: TrajectoryData,
  fields: (step: number) => Partial<TimeStepData>,
): TrajectoryData {
  const timesteps = trajectory.timesteps.map((step, index) => ({ ...dataOf(step), ...fields(index) }));
  return { ...dataOf(trajectory), timesteps };
}

function dataOf<Data extends object>(value: Data & { toJSON?: () => Data }): Data {
  return value.toJSON?.() ?? value;
}

/** Returns the trajectory with `mc_return` filled in, as data. */
export function withReturns(
  trajectory: TrajectoryData,
  discount: number,
  truncationValue: TruncationValue = 0,
): TrajectoryData {
  const returns = returnsOf(trajectory, discount, truncationValue);
  return withSteps(trajectory, (step) => ({ mc_return: returns[step] ?? null }));
}
