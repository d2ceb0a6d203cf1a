import type { TimeStepData, TrajectoryData } from './schema.js';

function checkDiscount(discount: number): void {
  if (!(discount >= 0 && discount <= 1)) {
    throw new RangeError(`the discount must be between 0 and 1, not ${discount}`);
  }
}

/**
 * The Monte-Carlo return of every step, G_t = r_t + γ·G_{t+1} (Sutton and Barto, Reinforcement Learning, 3.3), from the
 * rewards in order. A reward that is null counts as nothing, as under a sparse reward; where every one is null, nothing
 * is known and the returns are null. Throws RangeError for a discount γ outside of [0, 1].
 */
export function monteCarloReturns(rewards: readonly (number | null)[], discount: number): (number | null)[] {
  checkDiscount(discount);
  if (rewards.every((reward) => reward === null)) return rewards.map(() => null);
  const returns = new Array<number>(rewards.length);
  let following = 0;
  for (let step = rewards.length - 1; step >= 0; step -= 1) {
    following = (rewards[step] ?? 0) + discount * following;
    returns[step] = following;
  }
  return returns;
}

/** The returns of a trajectory's steps; null throughout where an error ended the episode, which is no score. */
export function returnsOf(trajectory: TrajectoryData, discount: number): (number | null)[] {
  const rewards = trajectory.timesteps.map(({ reward }) => reward);
  return monteCarloReturns(trajectory.error_info === null ? rewards : rewards.map(() => null), discount);
}

/** The return from the first step on: with discount 1, the sum of the rewards. Null where it is not known. */
export function episodeReturn(trajectory: TrajectoryData, discount = 1): number | null {
  return returnsOf(trajectory, discount)[0] ?? null;
}

/** A trajectory, as an instance or as data, as data with fields of its steps replaced; what an evaluation added stays. */
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

/** The trajectory with `mc_return` filled in, as data. */
export function withReturns(trajectory: TrajectoryData, discount: number): TrajectoryData {
  const returns = returnsOf(trajectory, discount);
  return withSteps(trajectory, (step) => ({ mc_return: returns[step] ?? null }));
}
