import { absolute, compareRationals, difference, isShareOf, type Rational } from './rational.js';
import type { ComplexValue } from './symbolic-engine.js';

/** Values of 50 digits that agree to this share of their size are equal. */
const SAME = 1e-30;

/** Below this a value may be a zero that rounding left over, and is evaluated again. */
const TINY = 1e-25;

/** What is exactly zero shrinks to less than this share when it is evaluated with 70 more digits. */
const SHRINKS = 1e-20;

const ONE: Rational = { numerator: 1n, denominator: 1n };

/** Whether two evaluated values are the same number; `again` evaluates both with more digits. */
export function isSameValue(
  left: ComplexValue,
  right: ComplexValue,
  again: () => [ComplexValue | undefined, ComplexValue | undefined],
): boolean {
  if (isCloseTo(left, right, SAME)) return true;
  if (!isShareOf(size(left), ONE, TINY) || !isShareOf(size(right), ONE, TINY)) return false;
  // Near zero a relative comparison says nothing: 1/2004! is not 0, √2+√3−√(5+2√6) is.
  const [first, second] = again();
  return vanishes(left, first) && vanishes(right, second);
}

/** |left − right| ≤ share · |right|, in the maximum norm. */
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
