import { wilsonInterval } from './proportions.js';
import { createRandom } from './random.js';
import { clusteredStderr } from './standard-error.js';
import { bounded, ROOM, sumOf } from './sums.js';

/** Values that are not independent of each other, such as the rewards of one task: their sum and number. */
export interface Cluster {
  sum: number;
  count: number;
}

export interface BootstrapOptions {
  /** Seed of the resamples. Default 0. */
  seed?: number | string;
  /** Default 10,000. */
  resamples?: number;
  /** Share of intervals that should contain the true value. Default 0.95. */
  confidence?: number;
  /** True if each value is a part of 1, such as 1 for right. */
  isShare?: boolean;
}

/** A mean with its standard error and its interval. */
export interface Estimate {
  estimate: number;
  /** Clustered standard error; null for fewer than two clusters. */
  stderr: number | null;
  /** Null for fewer than two clusters, which cannot be resampled, and where all are equal and no shares. */
  lower: number | null;
  upper: number | null;
  confidence: number;
  resamples: number;
  clusters: number;
}

export function clusterOf(values: readonly number[]): Cluster {
  return { sum: sumOf(values), count: values.length };
}

/** Scales an interval. */
export function times({ estimate, stderr, lower, upper, ...known }: Estimate, factor: number): Estimate {
  const scaled = (value: number | null) => (value === null ? null : bounded(value * factor));
  return {
    estimate: bounded(estimate * factor),
    stderr: scaled(stderr),
    lower: scaled(lower),
    upper: scaled(upper),
    ...known,
  };
}

/** Share of an interval's estimate by which bounds of equal values may differ by rounding. */
const ROUNDING = 1e-12;

/**
 * Corrects the bounds of values that are all equal. Each resample is then the same, though five right answers of five do
 * not tell that all are right: for shares the bounds are Wilson's, of the clusters; others have none.
 */
export function boundedWithoutSpread(interval: Estimate, isShare: boolean): Estimate {
  const { estimate, lower, upper, clusters, confidence } = interval;
  if (lower === null || upper === null) return interval;
  if (upper - lower > ROUNDING * Math.max(1, Math.abs(estimate))) return interval;
  if (!isShare) return { ...interval, lower: null, upper: null };
  const [low, high] = wilsonInterval(Math.min(1, Math.max(0, estimate)) * clusters, clusters, confidence);
  return { ...interval, lower: low, upper: high };
}

/** Computes {@link clusteredBootstrap} of lists of values, also where a cluster's sum would overflow. */
export function clusteredMean(
  groups: readonly (readonly number[])[],
  options: BootstrapOptions = {},
): Estimate | null {
  const clusters = groups.map((values) => clusterOf(values.map((value) => value / ROOM)));
  const interval = clusteredBootstrap(clusters, options);
  return interval === null ? null : boundedWithoutSpread(times(interval, ROOM), options.isShare === true);
}

/** Maximum draws of a bootstrap. Of 100,000 clusters an interval is narrow with few resamples. */
const MAX_DRAWS = 20_000_000;
const MAX_RESAMPLES = 10_000;
const FEWEST_RESAMPLES = 200;

/** Returns the number of resamples for acceptable time, by the draws of each. */
export function affordableResamples(draws: number): number {
  const affordable = Math.floor(MAX_DRAWS / Math.max(1, draws));
  return Math.min(MAX_RESAMPLES, Math.max(FEWEST_RESAMPLES, affordable));
}

/** Returns `[lower, upper]`; null where there are none. */
export function boundsOf(interval: Estimate | null): [number, number] | null {
  const { lower = null, upper = null } = interval ?? {};
  return lower === null || upper === null ? null : [lower, upper];
}

/** Interpolates the value below which a share of sorted values is (type 7 of Hyndman and Fan 1996). */
function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (position - below);
}

/**
 * Computes the mean of all values with its standard error ({@link clusteredStderr}) and the percentile interval of the
 * cluster bootstrap: whole clusters are drawn with replacement, as many as there are (Davison and Hinkley 1997, 3.8; for
 * evaluations, Miller 2024, arXiv 2411.00640). Null where there is no value. Throws RangeError for a confidence outside
 * of (0, 1) or no resamples.
 */
export function clusteredBootstrap(
  clusters: readonly Cluster[],
  options: BootstrapOptions = {},
): Estimate | null {
  const { seed = 0, resamples = 10_000, confidence = 0.95 } = options;
  if (!(confidence > 0 && confidence < 1)) throw new RangeError('confidence must lie between 0 and 1');
  if (!Number.isInteger(resamples) || resamples < 1)
    throw new RangeError('resamples must be a positive number');
  const filled = clusters.filter(({ count }) => count > 0);
  if (filled.length === 0) return null;
  const sums = Float64Array.from(filled, ({ sum }) => sum / ROOM);
  const counts = Float64Array.from(filled, ({ count }) => count);
  const estimate = total(sums) / total(counts);
  const known = { estimate, stderr: clusteredStderr(sums, counts), confidence, resamples };
  if (filled.length < 2) return times({ ...known, lower: null, upper: null, clusters: filled.length }, ROOM);
  const means = resampledMeans(sums, counts, { seed, resamples }).sort();
  const tail = (1 - confidence) / 2;
  const [lower, upper] = [quantile(means, tail), quantile(means, 1 - tail)];
  return times({ ...known, lower, upper, clusters: filled.length }, ROOM);
}

const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

function resampledMeans(
  sums: Float64Array,
  counts: Float64Array,
  { seed, resamples }: Required<Pick<BootstrapOptions, 'seed' | 'resamples'>>,
): Float64Array {
  const random = createRandom(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    let count = 0;
    for (let draw = 0; draw < sums.length; draw += 1) {
      const drawn = Math.floor(random() * sums.length);
      sum += sums[drawn] as number;
      count += counts[drawn] as number;
    }
    means[resample] = sum / count;
  }
  return means;
}
