import type { Value } from './compare-scalars.js';
import {
  absolute,
  compareRationals,
  difference,
  equals,
  isInteger,
  type Rational,
  within,
} from './rational.js';
import { readWrittenDecimal } from './scalar.js';

/** From here on a decimal fraction is taken for the rounding of a number that cannot be written out. */
const ROUNDED_DIGITS = 10;

/** From here on it is taken for a printed double, whose last digits may be off. */
const DOUBLE_DIGITS = 15;
const DOUBLE_ERROR = 2e-15;

/**
 * Whether two exact values agree. Without a tolerance they must be equal, but for one thing: a decimal fraction
 * written with at least 10 significant digits may be the rounding of a number that is no such decimal (it is less
 * than one unit of its last digit away), and one with at least 15 may be a printed double (2e-15 of the value away).
 * A fraction with nothing but zeros after the point is a whole number, and must be equal.
 */
export function valuesAgree(left: Value, right: Value, tolerance = 0): boolean {
  if (!left.value || !right.value) return false;
  if (equals(left.value, right.value)) return true;
  if (tolerance > 0) return within(left.value, right.value, tolerance);
  return (
    isRoundingOf(left.latex, right.latex, right.value) || isRoundingOf(right.latex, left.latex, left.value)
  );
}

/** Whether a decimal fraction, as it is written, can be the rounding of another value. */
export function isRoundingOf(latex: string, other: string, exact: Rational): boolean {
  const decimal = readWrittenDecimal(latex);
  if (!decimal || decimal.digits < ROUNDED_DIGITS || isInteger(decimal.value)) return false;
  if (decimal.digits >= DOUBLE_DIGITS && within(decimal.value, exact, DOUBLE_ERROR)) return true;
  const isExact = readWrittenDecimal(other) === undefined;
  return isExact && compareRationals(absolute(difference(decimal.value, exact)), decimal.unit) < 0;
}
