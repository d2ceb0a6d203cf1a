import { groupBy } from './group-by.js';
import { permutationTest, signTest } from './paired-tests.js';
import { newcombeInterval, type Outcomes } from './proportions.js';
import { studentBound } from './quantiles.js';
import { clusteredStderr } from './standard-error.js';
import { bounded, meanOf, sumOf } from './sums.js';

/** Values of the judged trials of each sample, by its id. */
export type ValuesBySample = ReadonlyMap<string, readonly number[]>;

export interface PairedOptions {
  /** Share of intervals that should contain the true difference. Default 0.95. */
  confidence?: number;
  /** Seed of a permutation test with too many samples to try all signs. Default 0. */
  seed?: number | string;
  /** Returns what samples that are not independent of each other have in common; null: the sample stands alone. */
  clusterOf?: (id: string) => string | null;
  /** True if values are shares, which differ by 1 at most. Default false. */
  isShare?: boolean;
}

/** Interval of a difference, and how it was computed. */
interface DifferenceInterval {
  lower: number;
  upper: number;
  confidence: number;
  /** Newcombe's score interval for paired proportions, or Student's t of the samples' differences. */
  method: 'newcombe' | 'student_t';
}

/** Two-sided test of no difference. */
export interface PairedTest {
  method: 'mcnemar' | 'permutation';
  p_value: number;
  /** Random draws of the permutation test; null: the p-value is exact. */
  draws: number | null;
}

/** Comparison of a baseline with another experiment, sample by sample; each sample weighs the same. */
export interface PairedComparison {
  /** Samples judged in both. */
  pairs: number;
  /** Clusters of the pairs; absent if each pair is one. */
  clusters?: number;
  /** Means over the pairs; null without a pair. */
  baseline: number | null;
  other: number | null;
  /** Mean of other − baseline, and its standard error; null without a pair, and of fewer than two. */
  difference: number | null;
  stderr: number | null;
  /** Null without a pair; of graded values, and of clusters, also for a single one, or if all differences are equal. */
  interval: DifferenceInterval | null;
  /** Pairs in which the other has the higher value, the lower one, and the same. */
  better: number;
  worse: number;
  equal: number;
  /** Counts of right and wrong; absent if values are not 0 and 1 of a single trial a sample. */
  outcomes?: Outcomes;
  /** Null without a pair. */
  test: PairedTest | null;
}

/** Relative difference below which two means count as equal: rewards are sums of floating-point numbers. */
const TOLERANCE = 1e-9;

/** Returns other − baseline; 0 for a mere rounding difference, which a test would count as a win. */
export function differenceOf(baseline: number, other: number): number {
  const noise = TOLERANCE * Math.max(1, Math.abs(baseline), Math.abs(other));
  return Math.abs(other - baseline) < noise ? 0 : bounded(other - baseline);
}

const isOutcome = (values: readonly number[]) => values.length === 1 && (values[0] === 0 || values[0] === 1);

/**
 * Compares two experiments on the samples that were judged in both: the means over each sample's trials are paired, so
 * that trials of one sample do not count as independent (Miller 2024, arXiv 2411.00640). With a single trial of 0 or 1 a
 * sample, the interval is Newcombe's and the test McNemar's exact one; else Student's t interval and a permutation test.
 * Where samples form clusters, it is always these two: the standard error and the degrees of freedom are those of the
 * clusters, and the signs of a cluster change together.
 */
export function comparePaired(
  baseline: ValuesBySample,
  other: ValuesBySample,
  { confidence = 0.95, seed = 0, clusterOf, isShare = false }: PairedOptions = {},
): PairedComparison {
  const pairs = [...baseline].flatMap(([id, values]) => {
    const others = other.get(id) ?? [];
    return values.length === 0 || others.length === 0 ? [] : [[values, others, id] as const];
  });
  const means = pairs.map(([left, right]) => [meanOf(left), meanOf(right)] as const);
  const differences = means.map(([left, right]) => differenceOf(left, right));
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const counts = { pairs: pairs.length, better, worse, equal: pairs.length - better - worse };
  if (pairs.length === 0) {
    const nothing = {
      baseline: null,
      other: null,
      difference: null,
      stderr: null,
      interval: null,
      test: null,
    };
    return { ...counts, ...nothing };
  }
  const { difference, stderr } = spreadOf(differences);
  const compared = {
    ...counts,
    baseline: meanOf(means.map(([left]) => left)),
    other: meanOf(means.map(([, right]) => right)),
    difference,
    stderr,
  };
  const areOutcomes = pairs.every(([left, right]) => isOutcome(left) && isOutcome(right));
  const outcomes = areOutcomes ? outcomesOf(means) : null;
  const clusters = clustersOf(
    pairs.map(([, , id], index) => ({ id, difference: differences[index] as number })),
    clusterOf,
  );
  if (clusters !== null) {
    const { sums, counts } = clusters;
    const clustered = clusteredStderr(sums, counts);
    return {
      ...compared,
      ...(outcomes === null ? {} : { outcomes }),
      clusters: sums.length,
      stderr: clustered,
      interval: studentInterval(difference, clustered, { count: sums.length, confidence, isShare }),
      test: { method: 'permutation', ...permutationTest(sums, { seed }) },
    };
  }
  if (outcomes !== null) {
    const [lower, upper] = newcombeInterval(outcomes, confidence);
    return {
      ...compared,
      outcomes,
      interval: { lower, upper, confidence, method: 'newcombe' },
      test: { method: 'mcnemar', p_value: signTest(better, worse), draws: null },
    };
  }
  return {
    ...compared,
    interval: studentInterval(difference, stderr, { count: pairs.length, confidence, isShare }),
    test: { method: 'permutation', ...permutationTest(differences, { seed }) },
  };
}

/** Returns a key of the cluster that a sample is in; of its own where it is null. */
export function clusterKey(cluster: string | null, id: string): string {
  return cluster === null ? `sample ${id}` : `cluster ${cluster}`;
}

/** Adds up the differences of each cluster; null where each sample is one of its own. */
function clustersOf(
  samples: readonly { id: string; difference: number }[],
  clusterOf: PairedOptions['clusterOf'],
): { sums: number[]; counts: number[] } | null {
  if (clusterOf === undefined) return null;
  const clusters = groupBy(samples, ({ id }) => clusterKey(clusterOf(id), id));
  if (clusters.size === samples.length) return null;
  const differences = [...clusters.values()].map((members) => members.map(({ difference }) => difference));
  return {
    sums: differences.map((of) => differenceOf(0, sumOf(of))),
    counts: differences.map(({ length }) => length),
  };
}

function outcomesOf(means: readonly (readonly [number, number])[]): Outcomes {
  const count = (left: number, right: number) =>
    means.filter(([baseline, other]) => baseline === left && other === right).length;
  return {
    both: count(1, 1),
    baseline_only: count(1, 0),
    other_only: count(0, 1),
    neither: count(0, 0),
  };
}

/** Computes the mean and its standard error s/√n, which is null for one value. Never overflows. */
function spreadOf(values: readonly number[]): { difference: number; stderr: number | null } {
  const difference = meanOf(values);
  if (values.length < 2) return { difference, stderr: null };
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const squares = values.reduce((sum, value) => sum + (value / scale - difference / scale) ** 2, 0);
  return {
    difference,
    stderr: bounded(Math.sqrt(squares / (values.length - 1) / values.length) * scale),
  };
}

/** Computes the interval m ± t(n − 1)·s/√n; null where there is no spread to compute one from. */
function studentInterval(
  difference: number,
  stderr: number | null,
  { count, confidence, isShare }: { count: number; confidence: number; isShare: boolean },
): DifferenceInterval | null {
  if (stderr === null || stderr <= TOLERANCE * Math.abs(difference)) return null;
  const width = studentBound(confidence, count - 1) * stderr;
  const most = isShare ? 1 : Number.POSITIVE_INFINITY;
  return {
    lower: Math.max(-most, bounded(difference - width)),
    upper: Math.min(most, bounded(difference + width)),
    confidence,
    method: 'student_t',
  };
}
