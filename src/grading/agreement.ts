import type { Value } from './compare-scalars.js';
import { difference, equals, type Rational, within } from './rational.js';
import { readWrittenDecimal } from './scalar.js';

/** From here on a decimal fraction is taken for the rounding of a number that cannot be written out. */
const ROUNDED_DIGITS = 10;

/** From here on it is taken for a printed double, whose last digits may be off. */
const DOUBLE_DIGITS = 15;
const DOUBLE_ERROR = 1e-12;

/**
 * Whether two exact values agree. Without a tolerance they must be equal, but for one thing: a decimal fraction
 * written with at least 10 significant digits may be a number's rounding (it is less than one unit of its last
 * digit away), and one with at least 15 may be a printed double (1e-12 of the value away).
 */
export function valuesAgree(left: Value, right: Value, tolerance = 0): boolean {
  if (!left.value || !right.value) return false;
  if (equals(left.value, right.value)) return true;
  if (tolerance > 0) return within(left.value, right.value, tolerance);
  return isRoundingOf(left.latex, right.value) || isRoundingOf(right.latex, left.value);
}

/** Whether a decimal fraction, as it is written, can be the rounding of an exact value. */
export function isRoundingOf(latex: string, exact: Rational): boolean {
  const decimal = readWrittenDecimal(latex);
  if (!decimal || decimal.digits < ROUNDED_DIGITS) return false;
  if (decimal.digits >= DOUBLE_DIGITS && within(decimal.value, exact, DOUBLE_ERROR)) return true;
  const error = difference(decimal.value, exact);
  const size = error.numerator < 0n ? -error.numerator : error.numerator;
  return size * 10n ** BigInt(decimal.places) < error.denominator;
}
