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

/** Minimum digits of a decimal fraction that may be the rounding of a number without a finite decimal form. */
const ROUNDED_DIGITS = 10;

/** Minimum digits of a decimal fraction that may be a printed double with wrong last digits. */
const DOUBLE_DIGITS = 15;
const DOUBLE_ERROR = 2e-15;

/**
 * Reports whether two exact values agree. Without a tolerance they must be equal, with one exception: a decimal
 * fraction written with at least 10 significant digits may be the rounding of a number that is no such decimal (it
 * differs by less than one unit of the last digit), and one with at least 15 may be a printed double (2e-15 of the
 * value). A fraction with only zeros after the point is a whole number, and must be equal.
 */
export function valuesAgree(left: Value, right: Value, tolerance = 0): boolean {
  if (!left.value || !right.value) return false;
  if (equals(left.value, right.value)) return true;
  if (tolerance > 0) return within(left.value, right.value, tolerance);
  return (
    isRoundingOf(left.latex, right.latex, right.value) || isRoundingOf(right.latex, left.latex, left.value)
  );
}

/** Reports whether a decimal fraction, as it is written, can be the rounding of another value. */
export function isRoundingOf(latex: string, other: string, exact: Rational): boolean {
  const decimal = readWrittenDecimal(latex);
  if (!decimal || decimal.digits < ROUNDED_DIGITS || isInteger(decimal.value)) return false;
  if (decimal.digits >= DOUBLE_DIGITS && within(decimal.value, exact, DOUBLE_ERROR)) return true;
  const isExact = readWrittenDecimal(other) === undefined;
  return isExact && compareRationals(absolute(difference(decimal.value, exact)), decimal.unit) < 0;
}
