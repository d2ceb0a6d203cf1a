import type { ResultRow } from '../../contracts/results.js';
import { ClusterSums } from '../../statistics/cluster-sums.js';
import type { BootstrapOptions } from '../../statistics/clustered-bootstrap.js';
import { uncertaintyOf } from '../../statistics/uncertainty.js';
import type { SampleFigures } from './results.js';

/** Sums of samples by their last rows: of all samples, or of a group of them. */
export class SampleSums {
  samples = 0;
  correct = 0;
  errors = 0;
  private readonly successes = new ClusterSums();
  private readonly rewards = new ClusterSums();

  /** Adds a sample. @param cluster samples of one cluster are not independent of each other */
  add(cluster: string, { error, feedback, reward }: ResultRow): void {
    this.samples += 1;
    if (error !== null) {
      this.errors += 1;
      return;
    }
    const success = feedback?.correct === true ? 1 : 0;
    this.correct += success;
    this.successes.add(cluster, success);
    this.rewards.add(cluster, reward ?? 0);
  }

  figures(options: BootstrapOptions): SampleFigures {
    const { samples, correct, errors } = this;
    const accuracy = this.successes.interval(options);
    const reward = this.rewards.interval(options);
    return {
      samples,
      correct,
      errors,
      accuracy: accuracy?.estimate ?? null,
      ...uncertaintyOf('accuracy', accuracy),
      mean_reward: reward?.estimate ?? null,
      ...uncertaintyOf('mean_reward', reward),
    };
  }
}
