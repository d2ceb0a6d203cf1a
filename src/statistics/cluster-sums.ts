import {
  affordableResamples,
  type BootstrapOptions,
  boundedWithoutSpread,
  clusteredBootstrap,
  type Estimate,
  times,
} from './clustered-bootstrap.js';
import { ROOM } from './sums.js';

/** Sums of values by cluster, from which a mean, its standard error and its interval follow without the values. */
export class ClusterSums {
  private readonly places = new Map<string, number>();
  private readonly sums: number[] = [];
  private readonly counts: number[] = [];

  /** Number of values. */
  count = 0;

  /** @param cluster its values are not independent of each other, such as those of the trials of one sample */
  add(cluster: string, value: number): void {
    let place = this.places.get(cluster);
    if (place === undefined) {
      place = this.sums.length;
      this.places.set(cluster, place);
      this.sums.push(0);
      this.counts.push(0);
    }
    // Divided, even sums of the largest numbers are finite.
    this.sums[place] = (this.sums[place] as number) + value / ROOM;
    this.counts[place] = (this.counts[place] as number) + 1;
    this.count += 1;
  }

  /**
   * Computes {@link clusteredBootstrap} of all values; null where there is none.
   * @param options `resamples`: by default as many as take acceptable time
   */
  interval(options: BootstrapOptions = {}): Estimate | null {
    const clusters = this.sums.map((sum, place) => ({ sum, count: this.counts[place] as number }));
    const resamples = affordableResamples(clusters.length);
    const interval = clusteredBootstrap(clusters, { resamples, ...options });
    if (interval === null) return null;
    return boundedWithoutSpread(times(interval, ROOM), options.isShare === true);
  }
}
