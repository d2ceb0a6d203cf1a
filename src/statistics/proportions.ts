import { normalBound } from './quantiles.js';

type Bounds = readonly [lower: number, upper: number];

/** Numbers of samples by whether they were right in a baseline and in another experiment. */
export interface Outcomes {
  both: number;
  baseline_only: number;
  other_only: number;
  neither: number;
}

/** Computes Wilson's score interval of a proportion (Wilson 1927). @param count at least 1 */
export function wilsonInterval(successes: number, count: number, confidence = 0.95): Bounds {
  const z = normalBound(confidence);
  const share = successes / count;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const whole = 1 + (z * z) / count;
  // Rounding would leave 0 and 1, the exact bounds of none and of all.
  return [
    successes === 0 ? 0 : (middle - spread) / whole,
    successes === count ? 1 : (middle + spread) / whole,
  ];
}

/** Computes the correlation of two outcomes with the continuity correction of Newcombe (1998); 0 if one is constant. */
function correlationOf({ both, baseline_only, other_only, neither }: Outcomes): number {
  const product =
    (both + baseline_only) * (other_only + neither) * (both + other_only) * (baseline_only + neither);
  if (product === 0) return 0;
  const covariance = both * neither - baseline_only * other_only;
  const half = (both + baseline_only + other_only + neither) / 2;
  return (covariance > 0 ? Math.max(0, covariance - half) : covariance) / Math.sqrt(product);
}

/**
 * Computes the interval of the other experiment's share of right samples minus the baseline's: Newcombe's score interval
 * for paired proportions (method 10 of Newcombe 1998, Statistics in Medicine 17, 2635–2650). Of at least one sample.
 */
export function newcombeInterval(outcomes: Outcomes, confidence = 0.95): Bounds {
  const { both, baseline_only, other_only, neither } = outcomes;
  const count = both + baseline_only + other_only + neither;
  const [baseline, other] = [(both + baseline_only) / count, (both + other_only) / count];
  const [baselineLower, baselineUpper] = wilsonInterval(both + baseline_only, count, confidence);
  const [otherLower, otherUpper] = wilsonInterval(both + other_only, count, confidence);
  const correlation = correlationOf(outcomes);
  const added = (one: number, two: number) =>
    Math.sqrt(Math.max(0, one * one - 2 * correlation * one * two + two * two));
  const difference = other - baseline;
  return [
    Math.max(-1, difference - added(other - otherLower, baselineUpper - baseline)),
    Math.min(1, difference + added(otherUpper - other, baseline - baselineLower)),
  ];
}
