/** Finds by bisection the bound at which a share, which grows with the bound, reaches a value below 1. */
function boundOf(shareWithin: (bound: number) => number, share: number): number {
  let [low, high] = [0, 1];
  while (shareWithin(high) < share) [low, high] = [high, 2 * high];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (shareWithin(middle) < share) low = middle;
    else high = middle;
  }
  return high;
}

/** Computes the share of the standard normal distribution between −z and z (Abramowitz and Stegun 1964, 26.2.11). */
function normalWithin(z: number): number {
  // Less than 10^−18 lies outside.
  if (z > 9) return 1;
  let [term, sum] = [z, z];
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return (2 * sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/**
 * Computes the share of Student's t distribution between −t and t, for whole degrees of freedom (Abramowitz and Stegun
 * 1964, 26.7.3 and 26.7.4).
 */
function studentWithin(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const cosine = Math.cos(angle);
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= (cosine * cosine * (power - 1)) / power;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

/** Computes the z ≥ 0 for which a share of the standard normal distribution lies between −z and z: 1.96 for 0.95. */
export function normalBound(share: number): number {
  return boundOf(normalWithin, share);
}

/** Computes the t ≥ 0 for which a share of Student's t distribution lies between −t and t. */
export function studentBound(share: number, degrees: number): number {
  return boundOf((t) => studentWithin(t, degrees), share);
}
