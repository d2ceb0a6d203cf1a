import { MAX_BITS } from '../bounds.js';
import { bitLength, isInteger, type Rational, rational } from './rational.js';

const LARGEST_FACTORIAL = 5_000n;
const LARGEST_BINOMIAL = 10_000n;

/** Computes n! for a whole 0 ≤ n ≤ 5,000, otherwise `undefined`. */
export function factorial(value: Rational): Rational | undefined {
  const count = value.numerator / value.denominator;
  if (!isInteger(value) || count < 0n || count > LARGEST_FACTORIAL) return undefined;
  return rational(productOfRange(1n, count));
}

/** Computes n (n−1) … (n−k+1) / k! for whole 0 ≤ k ≤ n ≤ 10,000, otherwise `undefined`. */
export function binomial(upper: Rational, lower: Rational): Rational | undefined {
  if (!isInteger(upper) || !isInteger(lower)) return undefined;
  const n = upper.numerator / upper.denominator;
  const k = lower.numerator / lower.denominator;
  if (k < 0n || k > n || n > LARGEST_BINOMIAL) return undefined;
  const smaller = 2n * k < n ? k : n - k;
  const result = productOfRange(n - smaller + 1n, n) / productOfRange(1n, smaller);
  return bitLength(result) > MAX_BITS ? undefined : rational(result);
}

/** Multiplies a range of numbers. Balanced factors make large products fast. */
function productOfRange(from: bigint, to: bigint): bigint {
  if (from > to) return 1n;
  if (to - from < 8n) {
    let result = from;
    for (let factor = from + 1n; factor <= to; factor++) result *= factor;
    return result;
  }
  const middle = (from + to) / 2n;
  return productOfRange(from, middle) * productOfRange(middle + 1n, to);
}
