import { absolute, compareRationals, difference, isShareOf, type Rational } from './rational.js';
import type { ComplexValue } from './symbolic-engine.js';

/** Maximum relative difference of equal values of 50 digits. */
const SAME = 1e-30;

/** Bound below which a value may be a rounding error of zero, and is evaluated again. */
const TINY = 1e-25;

/** Maximum factor by which an exact zero shrinks when it is evaluated with 70 more digits. */
const SHRINKS = 1e-20;

const ONE: Rational = { numerator: 1n, denominator: 1n };

/** Reports whether two evaluated values are the same number; `again` evaluates both with more digits. */
export function isSameValue(
  left: ComplexValue,
  right: ComplexValue,
  again: () => [ComplexValue | undefined, ComplexValue | undefined],
): boolean {
  if (isCloseTo(left, right, SAME)) return true;
  if (!isShareOf(size(left), ONE, TINY) || !isShareOf(size(right), ONE, TINY)) return false;
  // Near zero a relative comparison is meaningless: 1/2004! is not 0, but √2+√3−√(5+2√6) is.
  const [first, second] = again();
  return vanishes(left, first) && vanishes(right, second);
}

/** True if |left − right| ≤ share · |right|, in the maximum norm. */
export function isCloseTo(left: ComplexValue, right: ComplexValue, share: number): boolean {
  const distance = larger(difference(left.real, right.real), difference(left.imaginary, right.imaginary));
  return isShareOf(distance, size(right), share);
}

export function isReal(value: ComplexValue): boolean {
  return isShareOf(value.imaginary, size(value), SAME);
}

function vanishes(value: ComplexValue, precise: ComplexValue | undefined): boolean {
  if (size(value).numerator === 0n) return true;
  return precise !== undefined && isShareOf(size(precise), size(value), SHRINKS);
}

const size = ({ real, imaginary }: ComplexValue) => larger(real, imaginary);

function larger(left: Rational, right: Rational): Rational {
  const [a, b] = [absolute(left), absolute(right)];
  return compareRationals(a, b) >= 0 ? a : b;
}
