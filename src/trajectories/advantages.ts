import { groupBy } from '../statistics/group-by.js';
import { returnsOf, withSteps } from './returns.js';
import type { TrajectoryData } from './schema.js';

export interface GroupBaselineOptions {
  /**
   * `none`: the score less the group's mean, as in Dr. GRPO (Liu et al. 2025, arXiv 2503.20783). `standard_deviation`:
   * that divided by the group's standard deviation, as in GRPO (Shao et al. 2024, arXiv 2402.03300).
   */
  scale: 'none' | 'standard_deviation';
  /** Added to the standard deviation before the division. Default 1e-4, as in TRL's GRPOTrainer. */
  epsilon?: number;
}

export interface AdvantageOptions extends GroupBaselineOptions {
  /** γ of the returns, in [0, 1]. */
  discount: number;
  /**
   * What a step is credited with. `episode` (default): the whole episode's return, the same for each of its steps, as
   * GRPO does with outcome rewards. `step`: the return from that step on.
   */
  credit?: 'episode' | 'step';
  /** Trajectories with the same key are attempts at the same task. Default: `reset_kwargs.task_id`. */
  groupOf?: (trajectory: TrajectoryData) => string;
}

interface Baseline {
  mean: number;
  /** What a difference from the mean is divided by. */
  divisor: number;
}

/**
 * Mean and divisor of a group's scores. The standard deviation is the sample's (n − 1), as in TRL; scores that do not
 * differ, or are alone, have no advantage, without a trace of rounding.
 */
function baselineOf(scores: readonly number[], { scale, epsilon = 1e-4 }: GroupBaselineOptions): Baseline {
  const first = scores[0] ?? 0;
  if (scores.every((score) => score === first)) return { mean: first, divisor: 1 };
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  if (scale === 'none') return { mean, divisor: 1 };
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return { mean, divisor: Math.sqrt(squares / (scores.length - 1)) + epsilon };
}

/** The advantages of a group's scores over their mean, in order. Null scores take no part and have none. */
export function groupAdvantages(
  scores: readonly (number | null)[],
  options: GroupBaselineOptions,
): (number | null)[] {
  const known = scores.filter((score) => score !== null);
  if (known.length === 0) return scores.map(() => null);
  const { mean, divisor } = baselineOf(known, options);
  return scores.map((score) => (score === null ? null : (score - mean) / divisor));
}

function taskOf({ reset_kwargs, episode_id }: TrajectoryData): string {
  const task = reset_kwargs.task_id;
  if (typeof task === 'string' || typeof task === 'number') return String(task);
  throw new TypeError(
    `trajectory ${episode_id ?? ''} has no reset_kwargs.task_id to be grouped by: give groupOf`,
  );
}

/**
 * Fills in `mc_return` and `advantage` of every step, as data, in the order given. The baseline of a group is the mean
 * of its episodes' returns. Episodes that ended in an error, or of which no reward is known, take no part in it and
 * get null. Throws TypeError where a trajectory cannot be grouped, RangeError for a discount outside of [0, 1].
 */
export function withAdvantages(
  trajectories: readonly TrajectoryData[],
  options: AdvantageOptions,
): TrajectoryData[] {
  const { discount, credit = 'episode', groupOf = taskOf } = options;
  const episodes = trajectories.map((trajectory) => ({
    trajectory,
    group: groupOf(trajectory),
    returns: returnsOf(trajectory, discount),
  }));
  const scored = episodes.flatMap(({ group, returns: [score = null] }) =>
    score === null ? [] : [{ group, score }],
  );
  const baselines = new Map(
    [...groupBy(scored, ({ group }) => group)].map(([group, members]) => [
      group,
      baselineOf(
        members.map(({ score }) => score),
        options,
      ),
    ]),
  );
  return episodes.map(({ trajectory, group, returns }) => {
    const baseline = baselines.get(group);
    return withSteps(trajectory, (step) => {
      const mc_return = returns[step] ?? null;
      const score = credit === 'episode' ? (returns[0] ?? null) : mc_return;
      if (baseline === undefined || score === null) return { mc_return, advantage: null };
      return { mc_return, advantage: (score - baseline.mean) / baseline.divisor };
    });
  });
}
