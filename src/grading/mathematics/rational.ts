import { MAX_BITS } from '../bounds.js';

/** An exact fraction, `denominator` > 0. It need not be in lowest terms. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Maximum size of fractions that are kept in lowest terms; reducing larger ones costs more than it saves. */
const REDUCED_BITS = 2_048;

/** Estimates the number of bits of a magnitude, cheaply and at most 4 too large. */
export function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4;
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Builds `numerator / denominator`; `undefined` for a zero denominator and for numbers too large to keep exact. */
export function rational(numerator: bigint, denominator = 1n): Rational | undefined {
  if (denominator === 0n) return undefined;
  const bits = denominator === 1n ? bitLength(numerator) : bitLength(numerator) + bitLength(denominator);
  if (bits > MAX_BITS) return undefined;
  if (denominator < 0n) return rational(-numerator, -denominator);
  if (denominator === 1n || bits > REDUCED_BITS) return { numerator, denominator };
  const divisor = greatestCommonDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

export function add(left: Rational, right: Rational): Rational | undefined {
  return rational(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

export function negate(value: Rational): Rational {
  return { numerator: -value.numerator, denominator: value.denominator };
}

export function multiply(left: Rational, right: Rational): Rational | undefined {
  return rational(left.numerator * right.numerator, left.denominator * right.denominator);
}

/** Divides; `undefined` for a division by zero. */
export function divide(left: Rational, right: Rational): Rational | undefined {
  return rational(left.numerator * right.denominator, left.denominator * right.numerator);
}

/** Computes an integer power; `undefined` for other exponents, 0 to a negative power and too large results. */
export function power(base: Rational, exponent: Rational): Rational | undefined {
  if (!isInteger(exponent)) return undefined;
  const whole = exponent.numerator / exponent.denominator;
  const size = whole < 0n ? -whole : whole;
  const bits = bitLength(base.numerator) + bitLength(base.denominator);
  // The bound is checked before the computation: 9^9^9 must cost nothing.
  if (size > BigInt(MAX_BITS) || Number(size) * bits > MAX_BITS * 4) return undefined;
  const numerator = base.numerator ** size;
  const denominator = base.denominator ** size;
  return whole < 0n ? rational(denominator, numerator) : rational(numerator, denominator);
}

export function isInteger(value: Rational): boolean {
  return value.numerator % value.denominator === 0n;
}

export function equals(left: Rational, right: Rational): boolean {
  return left.numerator * right.denominator === right.numerator * left.denominator;
}

export function absolute({ numerator, denominator }: Rational): Rational {
  return { numerator: numerator < 0n ? -numerator : numerator, denominator };
}

/** Computes left − right of any size. */
export function difference(left: Rational, right: Rational): Rational {
  return {
    numerator: left.numerator * right.denominator - right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  };
}

/** True if |left − right| ≤ share · |right|, computed exactly. */
export function within(left: Rational, right: Rational, share: number): boolean {
  return isShareOf(difference(left, right), right, share);
}

/** True if |part| ≤ share · |whole|, computed exactly. */
export function isShareOf(part: Rational, whole: Rational, share: number): boolean {
  const size = (value: bigint) => (value < 0n ? -value : value);
  const [mantissa, digits] = scaled(share);
  const [left, right] = [part.numerator * whole.denominator, whole.numerator * part.denominator];
  return size(left) * 10n ** BigInt(digits) <= size(right) * mantissa;
}

/** Splits a share such as 1e-9 into mantissa · 10^−digits. */
function scaled(share: number): [bigint, number] {
  const [digits = '0', exponent = '0'] = share.toExponential(15).split('e');
  return [BigInt(digits.replace('.', '')), Math.max(0, 15 - Number(exponent))];
}

/** Reads `12`, `-3.50`, `.5`, `1.5e3`; `undefined` for anything else and for exponents beyond ±10,000. */
export function readDecimal(text: string): Rational | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,5}))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  if (whole.length + fraction.length > MAX_BITS / 4 || Math.abs(Number(exponent)) > 10_000) return undefined;
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  const shift = Number(exponent) - fraction.length;
  return shift >= 0 ? rational(digits * 10n ** BigInt(shift)) : rational(digits, 10n ** BigInt(-shift));
}

/** Returns a number below, equal to or above 0, as `left` compares to `right`. */
export function compareRationals(left: Rational, right: Rational): number {
  const { numerator } = difference(left, right);
  return numerator < 0n ? -1 : numerator > 0n ? 1 : 0;
}
