import type { ResultRow } from '../../contracts/results.js';
import { ClusterSums } from '../../statistics/cluster-sums.js';
import type { BootstrapOptions } from '../../statistics/clustered-bootstrap.js';
import { ScoreTally } from '../../statistics/score-tally.js';
import { uncertaintyOf } from '../../statistics/uncertainty.js';
import type { SampleFigures } from './results.js';

/** Maximum number of scores of a group: metrics are part of a history. */
const MAX_SCORES = 20;

/** Sums of samples by their last rows: of all samples, or of a group of them. */
export class SampleSums {
  samples = 0;
  correct = 0;
  errors = 0;
  private readonly successes = new ClusterSums();
  private readonly rewards = new ClusterSums();
  private readonly scores = new ScoreTally(MAX_SCORES);

  /**
   * Adds a sample.
   * @param cluster samples of one cluster are not independent of each other
   * @param scores by name
   */
  add(
    cluster: string,
    { error, feedback, reward }: ResultRow,
    scores: Readonly<Record<string, number | boolean>> = {},
  ): void {
    this.samples += 1;
    if (error !== null) {
      this.errors += 1;
      return;
    }
    const success = feedback?.correct === true ? 1 : 0;
    this.correct += success;
    this.successes.add(cluster, success);
    this.rewards.add(cluster, reward ?? 0);
    this.scores.add(cluster, scores);
  }

  figures(options: BootstrapOptions): SampleFigures {
    const { samples, correct, errors } = this;
    const accuracy = this.successes.interval({ ...options, isShare: true });
    const reward = this.rewards.interval(options);
    const scores = this.scores.figures(options);
    return {
      samples,
      correct,
      errors,
      accuracy: accuracy?.estimate ?? null,
      ...uncertaintyOf('accuracy', accuracy),
      mean_reward: reward?.estimate ?? null,
      ...uncertaintyOf('mean_reward', reward),
      ...(Object.keys(scores).length === 0 ? {} : { scores }),
    };
  }
}
