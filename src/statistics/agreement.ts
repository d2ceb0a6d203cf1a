/** Level of values: categories that are equal or not, or numbers whose distance counts. */
export type AgreementLevel = 'nominal' | 'interval';

/** Agreement of a score with labels. */
export interface Agreement {
  /** Samples with both. */
  samples: number;
  /** Share of samples in which both are equal. */
  accuracy: number;
  /** Cohen's kappa of equal values; null if only one value occurs. */
  kappa: number | null;
  /** Krippendorff's alpha; null if only one value occurs. */
  alpha: number | null;
  level: AgreementLevel;
}

type Pair = readonly [left: number, right: number];

/** Size below which a difference is one of rounding. */
const TOLERANCE = 1e-9;
const rounded = (value: number) => Math.round(value / TOLERANCE) * TOLERANCE;

const DISTANCES: Record<AgreementLevel, (left: number, right: number) => number> = {
  nominal: (left, right) => Number(left !== right),
  interval: (left, right) => (left - right) ** 2,
};

function countsOf(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * Computes Cohen's kappa (Cohen 1960), (p_o − p_e) / (1 − p_e), of two raters' values.
 * @returns null if both use one and the same value, or there is no pair.
 */
export function cohensKappa(pairs: readonly Pair[]): number | null {
  const [left, right] = [0, 1].map((side) => countsOf(pairs.map((pair) => pair[side] as number)));
  const total = pairs.length;
  let expected = 0;
  for (const [value, count] of left as Map<number, number>)
    expected += (count / total) * ((right?.get(value) ?? 0) / total);
  if (total === 0 || expected >= 1 - TOLERANCE) return null;
  const observed = pairs.filter(([one, two]) => one === two).length / total;
  return (observed - expected) / (1 - expected);
}

/**
 * Computes Krippendorff's alpha (Krippendorff 2011), 1 − D_o / D_e, of any number of ratings of each unit. Units with
 * fewer than two ratings do not count.
 * @returns null if all values are the same, or no unit has two.
 */
export function krippendorffsAlpha(
  units: readonly (readonly number[])[],
  level: AgreementLevel,
): number | null {
  const distance = DISTANCES[level];
  const paired = units.filter((values) => values.length > 1);
  const all = [...countsOf(paired.flat())];
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  let observed = 0;
  for (const values of paired) {
    let sum = 0;
    for (const one of values) for (const two of values) sum += distance(one, two);
    observed += sum / (values.length - 1);
  }
  let expected = 0;
  for (const [one, count] of all)
    for (const [two, others] of all) expected += count * others * distance(one, two);
  expected /= total - 1;
  return total < 2 || expected <= 0 ? null : 1 - observed / expected;
}

/** Computes the agreement of values with labels; null without a pair. */
export function agreementOf(given: readonly Pair[], level: AgreementLevel): Agreement | null {
  if (given.length === 0) return null;
  const pairs = given.map(([value, label]): Pair => [rounded(value), rounded(label)]);
  const equal = pairs.filter(([value, label]) => value === label).length;
  return {
    samples: pairs.length,
    accuracy: equal / pairs.length,
    kappa: cohensKappa(pairs),
    alpha: krippendorffsAlpha(pairs, level),
    level,
  };
}
