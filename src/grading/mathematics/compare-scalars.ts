import { multiply, type Rational, rational } from './rational.js';
import type { Scalar } from './scalar.js';
import { type Decision, some } from './three-valued.js';
import { unitsDiffer } from './units.js';

/** An expression and, where it is a bounded rational number, its exact value. */
export interface Value {
  latex: string;
  value?: Rational;
}

/** Decides whether two expressions have the same value. */
export type ValueJudge = (left: Value, right: Value) => Decision;

/**
 * Compares two values with their units: contradictory units differ, a unit that is missing on one side does not. A
 * percentage agrees with its number (20% and 20) and with its hundredth (20% and 0.2); an angle in degrees with its
 * number and with its radians.
 */
export function compareScalars(left: Scalar, right: Scalar, judge: ValueJudge): Decision {
  if (left.base !== undefined || right.base !== undefined) {
    return left.base === right.base && left.latex === right.latex;
  }
  if (unitsDiffer(left.unit, right.unit)) return false;
  if (left.percent !== right.percent) return some(percentReadings(left, right), ([a, b]) => judge(a, b));
  if (left.degrees !== right.degrees) return some(degreeReadings(left, right), ([a, b]) => judge(a, b));
  return judge(left, right);
}

type Readings = [Value, Value][];

function percentReadings(left: Scalar, right: Scalar): Readings {
  return [[left, right], left.percent ? [hundredth(left), right] : [left, hundredth(right)]];
}

function hundredth({ latex, value }: Value): Value {
  const share = value && multiply(value, rational(1n, 100n) as Rational);
  return { latex: `\\frac{${latex}}{100}`, ...(share ? { value: share } : {}) };
}

function degreeReadings(left: Scalar, right: Scalar): Readings {
  // π is irrational: a rational number of degrees is not a rational number of radians, except 0.
  if (left.value && right.value) return [[left, right]];
  return [[left, right], left.degrees ? [radians(left), right] : [left, radians(right)]];
}

function radians({ latex }: Value): Value {
  return { latex: `\\frac{(${latex})\\pi}{180}` };
}
