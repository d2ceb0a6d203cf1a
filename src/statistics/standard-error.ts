/** Relative difference below which a deviation is only a rounding error of the sums. */
const ROUNDING = 1e-11;

/**
 * Computes the standard error of the mean of all values from the sum and the number of values of each cluster:
 * √(G/(G−1) · Σ_g (s_g − n_g·m)²) / n, with G clusters, n values and their mean m (Miller 2024, arXiv 2411.00640, with
 * the correction G/(G−1) for few clusters, as Stata and Inspect's `stderr(cluster=…)` have it). With one value a cluster
 * that is s/√n. Null with fewer than two clusters: nothing is known of how they differ.
 * @param sums of clusters with at least one value each, in the order of `counts`
 */
export function clusteredStderr(sums: ArrayLike<number>, counts: ArrayLike<number>): number | null {
  const clusters = sums.length;
  if (clusters < 2) return null;
  let total = 0;
  let values = 0;
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    total += sums[cluster] as number;
    values += counts[cluster] as number;
  }
  const mean = total / values;
  const deviations = new Float64Array(clusters);
  let largest = 0;
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    const [sum, expected] = [sums[cluster] as number, (counts[cluster] as number) * mean];
    const deviation = Math.abs(sum - expected);
    if (deviation <= ROUNDING * Math.max(Math.abs(sum), Math.abs(expected))) continue;
    deviations[cluster] = deviation;
    largest = Math.max(largest, deviation);
  }
  if (largest === 0) return 0;
  // Divided by the largest one, no square overflows.
  const squares = deviations.reduce((sum, deviation) => sum + (deviation / largest) ** 2, 0);
  return (largest * Math.sqrt((clusters / (clusters - 1)) * squares)) / values;
}
