import { type BootstrapOptions, clusteredMean, type Interval } from './clustered-bootstrap.js';
import { judgedRewards, type RewardRow } from './reward-rows.js';
import { bounded, meanOf } from './sums.js';

export interface PairedComparison {
  /** Mean over tasks of left's mean reward minus right's; null where no task was judged in both. */
  difference: Interval | null;
  /** Tasks judged in both. */
  pairs: number;
  /** Tasks judged in one only, which do not affect the difference. */
  unpaired: number;
  /** Tasks with a better result on the left, and on the right. */
  left_better: number;
  right_better: number;
  /**
   * p-value of the two-sided sign test over those tasks; with one trial of reward 0 or 1 a task, McNemar's exact test.
   */
  p_value: number;
}

/** Relative difference below which two means count as equal: rewards are sums of floating-point numbers. */
const TOLERANCE = 1e-9;

/** Returns left's mean minus right's; 0 for a mere rounding difference, which the sign test would count as a win. */
function differenceOf(left: readonly number[], right: readonly number[]): number {
  const [first, second] = [meanOf(left), meanOf(right)];
  const noise = TOLERANCE * Math.max(1, Math.abs(first), Math.abs(second));
  return Math.abs(first - second) < noise ? 0 : bounded(first - second);
}

/** Compares two agents on the tasks that were judged for both; the bootstrap draws tasks. */
export function comparePaired(
  left: Iterable<RewardRow>,
  right: Iterable<RewardRow>,
  options: BootstrapOptions = {},
): PairedComparison {
  const leftTasks = judgedRewards(left).byTask;
  const rightTasks = judgedRewards(right).byTask;
  const differences: number[] = [];
  for (const [task, rewards] of leftTasks) {
    const others = rightTasks.get(task);
    if (others !== undefined) differences.push(differenceOf(rewards, others));
  }
  const pairs = differences.length;
  const left_better = differences.filter((difference) => difference > 0).length;
  const right_better = differences.filter((difference) => difference < 0).length;
  return {
    difference: clusteredMean(
      differences.map((difference) => [difference]),
      options,
    ),
    pairs,
    unpaired: leftTasks.size + rightTasks.size - 2 * pairs,
    left_better,
    right_better,
    p_value: signTest(left_better, right_better),
  };
}

/**
 * Computes the two-sided p-value of the exact sign test: the chance that a fair coin, tossed `first + second` times,
 * divides at least as unevenly. On discordant pairs of outcomes it is McNemar's exact test. 1 where there is no pair.
 */
export function signTest(first: number, second: number): number {
  const throws = first + second;
  const fewer = Math.min(first, second);
  // Logarithms, because 2^−n is 0 in floating point from n = 1,075 on.
  let logChance = -throws * Math.LN2;
  let tail = 0;
  for (let heads = 0; heads <= fewer; heads += 1) {
    tail += Math.exp(logChance);
    logChance += Math.log((throws - heads) / (heads + 1));
  }
  return Math.min(1, 2 * tail);
}
