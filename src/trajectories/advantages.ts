import { bounded, meanOf } from '../statistics/sums.js';
import { returnsOf, type TruncationValue, withSteps } from './returns.js';
import type { TrajectoryData } from './schema.js';

export interface GroupBaselineOptions {
  /**
   * Scale. `none`: the score minus the group's mean, as in Dr. GRPO (Liu et al. 2025, arXiv 2503.20783).
   * `standard_deviation`: that divided by the group's standard deviation, as in GRPO (Shao et al. 2024, arXiv
   * 2402.03300).
   */
  scale: 'none' | 'standard_deviation';
  /** Number added to the standard deviation before the division. Default 1e-4, as in TRL's GRPOTrainer. */
  epsilon?: number;
}

export interface AdvantageOptions extends GroupBaselineOptions {
  /** Discount γ of the returns, in [0, 1]. */
  discount: number;
  /**
   * Credit of a step. `episode` (default): the whole episode's return, the same for each of its steps, as GRPO does
   * with outcome rewards. `step`: the return from that step on.
   */
  credit?: 'episode' | 'step';
  /** Expected return after the end of a truncated episode; see {@link returnsOf}. Default 0. */
  truncationValue?: TruncationValue;
  /** Key that attempts at the same task have in common. Default: `reset_kwargs.task_id`. */
  groupOf?: (trajectory: TrajectoryData) => string;
}

/** Function from a score to its advantage within its group; see {@link baselineOf}. */
type Baseline = (score: number) => number;

/** Bound of numbers whose squares cannot overflow: larger ones are divided by a power of two first, which is exact. */
const LARGE = 2 ** 400;

/**
 * Computes the advantage over a group's scores. The standard deviation is the sample's (n − 1), as in TRL; equal
 * scores, or a single one, have an advantage of exactly 0, without rounding errors.
 */
function baselineOf(given: readonly number[], { scale, epsilon = 1e-4 }: GroupBaselineOptions): Baseline {
  if (given.every((score) => score === given[0])) return (score) => bounded(score - (given[0] ?? 0));
  const largest = given.reduce((most, score) => Math.max(most, Math.abs(score)), 0);
  const unit = largest < LARGE ? 1 : 2 ** Math.floor(Math.log2(largest));
  const scores = given.map((score) => score / unit);
  const mean = meanOf(scores);
  if (scale === 'none') return (score) => bounded((score / unit - mean) * unit);
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  const divisor = Math.sqrt(squares / (scores.length - 1)) + epsilon / unit;
  return (score) => bounded((score / unit - mean) / divisor);
}

/** Computes the advantages of a group's scores over their mean, in order. Null scores are left out and have none. */
export function groupAdvantages(
  scores: readonly (number | null)[],
  options: GroupBaselineOptions,
): (number | null)[] {
  const known = scores.filter((score) => score !== null);
  if (known.length === 0) return scores.map(() => null);
  const advantageOf = baselineOf(known, options);
  return scores.map((score) => (score === null ? null : advantageOf(score)));
}

function taskOf({ reset_kwargs, episode_id }: TrajectoryData): string {
  const task = reset_kwargs.task_id;
  if (typeof task === 'string' || typeof task === 'number') return String(task);
  throw new TypeError(
    `trajectory ${episode_id ?? ''} has no reset_kwargs.task_id to be grouped by: give groupOf`,
  );
}

/**
 * Fills in returns and advantages of trajectories one by one, so that they need not all be in memory: {@link add} every
 * one, then {@link fill} them. {@link withAdvantages} does the same for a list.
 */
export class Advantages {
  private readonly scores = new Map<string, number[]>();
  private readonly baselines = new Map<string, Baseline>();

  constructor(private readonly options: AdvantageOptions) {}

  /** Adds an episode to the baseline of its group. @throws TypeError, RangeError */
  add(trajectory: TrajectoryData): void {
    const [score] = this.returnsOf(trajectory);
    if (score == null) return;
    const group = this.groupOf(trajectory);
    const scores = this.scores.get(group);
    if (scores === undefined) this.scores.set(group, [score]);
    else scores.push(score);
    this.baselines.delete(group);
  }

  /** Returns the trajectory with `mc_return` and `advantage` of every step, as data. */
  fill(trajectory: TrajectoryData): TrajectoryData {
    const returns = this.returnsOf(trajectory);
    const advantageOf = (score: number) => this.baselineOf(this.groupOf(trajectory))(score);
    return withSteps(trajectory, (step) => {
      const mc_return = returns[step] ?? null;
      const score = this.options.credit === 'step' ? mc_return : (returns[0] ?? null);
      return { mc_return, advantage: score === null ? null : advantageOf(score) };
    });
  }

  private returnsOf(trajectory: TrajectoryData): (number | null)[] {
    const { discount, truncationValue } = this.options;
    return returnsOf(trajectory, discount, truncationValue);
  }

  private groupOf(trajectory: TrajectoryData): string {
    return (this.options.groupOf ?? taskOf)(trajectory);
  }

  private baselineOf(group: string): Baseline {
    const known = this.baselines.get(group) ?? baselineOf(this.scores.get(group) ?? [], this.options);
    this.baselines.set(group, known);
    return known;
  }
}

/**
 * Fills in `mc_return` and `advantage` of every step, as data, in the given order. The baseline of a group is the mean
 * of its episodes' returns. Episodes that ended in an error, or have no known reward, are left out and get null. Throws
 * TypeError where a trajectory cannot be grouped, RangeError for a discount outside of [0, 1].
 */
export function withAdvantages(
  trajectories: readonly TrajectoryData[],
  options: AdvantageOptions,
): TrajectoryData[] {
  const advantages = new Advantages(options);
  for (const trajectory of trajectories) advantages.add(trajectory);
  return trajectories.map((trajectory) => advantages.fill(trajectory));
}
