import { ClusterSums } from './cluster-sums.js';
import { type BootstrapOptions, boundsOf } from './clustered-bootstrap.js';

/** Named score over the samples that have it. */
export interface ScoreFigure {
  samples: number;
  mean: number;
  /** Standard error, and 95 % interval from a bootstrap over samples; null if fewer than two have it. */
  stderr: number | null;
  interval: [number, number] | null;
  /** True if all values are true or false: the mean is a share. */
  is_share: boolean;
}

/** Sums of the named scores of samples. */
export class ScoreTally {
  /** A map, because a score may be named `constructor`. */
  private readonly scores = new Map<string, { sums: ClusterSums; is_share: boolean }>();

  /** @param maxNames number of names from which on further ones are left out */
  constructor(private readonly maxNames = Number.POSITIVE_INFINITY) {}

  /** Adds the scores of a sample. @param cluster values of one cluster are not independent, see {@link ClusterSums} */
  add(cluster: string, scores: Readonly<Record<string, number | boolean>>): void {
    for (const [name, score] of Object.entries(scores)) {
      const of = this.scores.get(name) ?? { sums: new ClusterSums(), is_share: true };
      if (of.sums.count === 0 && this.scores.size >= this.maxNames) continue;
      this.scores.set(name, of);
      of.sums.add(cluster, Number(score));
      of.is_share &&= typeof score === 'boolean';
    }
  }

  /** Computes each score over the samples that have it, in the order in which they came up. */
  figures(options: BootstrapOptions = {}): Record<string, ScoreFigure> {
    const figures = [...this.scores].map(([name, { sums, is_share }]): [string, ScoreFigure] => {
      const mean = sums.interval({ ...options, isShare: is_share });
      const { estimate = 0, stderr = null } = mean ?? {};
      return [name, { samples: sums.count, mean: estimate, stderr, interval: boundsOf(mean), is_share }];
    });
    return Object.fromEntries(figures);
  }
}
