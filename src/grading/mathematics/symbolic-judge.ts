import { isRoundingOf, valuesAgree } from './agreement.js';
import type { PartComparison } from './compare-answers.js';
import type { Value } from './compare-scalars.js';
import { Expressions } from './expressions.js';
import type { MathJson } from './math-json.js';
import { isCloseTo, isReal, isSameValue } from './numeric-closeness.js';
import type { MathAnswer, Relation } from './structure.js';
import type { ComplexValue, SymbolicEngine } from './symbolic-engine.js';
import { type Decision, every } from './three-valued.js';

/** Minimum points with a value of both expressions for their agreement to count. */
const FEWEST_POINTS = 2;

/** A comparison of `left` with `right`, turned so that the sign is one of = \neq < \leq. */
interface Comparison {
  left: MathAnswer;
  right: MathAnswer;
  sign: string;
}

const FLIPPED: Record<string, string> = { '>': '<', '\\geq': '\\leq' };
const ORDERED = new Set(['<', '\\leq']);
const KNOWN = new Set(['=', '\\neq', ...ORDERED]);

/**
 * Reports whether two equations or inequalities are equivalent: their differences (left side minus right side) have a
 * constant ratio at every sample point, and for inequalities a positive one.
 */
function compareRelations(left: Relation, right: Relation, expressions: Expressions): Decision {
  const [first, second] = [comparisons(left), comparisons(right)];
  if (!first || !second || first.length !== second.length) return undefined;
  return every(first, (comparison, index) =>
    compareOne(comparison, second[index] as Comparison, expressions),
  );
}

/** Splits `a < b < c` into two comparisons, always in rising order. */
function comparisons({ sides, signs }: Relation): Comparison[] | undefined {
  const falling = signs.every((sign) => FLIPPED[sign] !== undefined);
  const [ordered, used] = falling
    ? [[...sides].reverse(), [...signs].reverse().map((sign) => FLIPPED[sign] ?? sign)]
    : [sides, signs];
  if (!used.every((sign) => KNOWN.has(sign))) return undefined;
  return used.map((sign, index) => ({
    left: ordered[index] as MathAnswer,
    right: ordered[index + 1] as MathAnswer,
    sign,
  }));
}

function compareOne(first: Comparison, second: Comparison, expressions: Expressions): Decision {
  if (first.sign !== second.sign) return false;
  const [one, other] = [difference(first, expressions), difference(second, expressions)];
  if (!one || !other) return undefined;
  const ratio: MathJson = ['Divide', one, other];
  let common: ComplexValue | undefined;
  let agreed = 0;
  for (const point of expressions.points([ratio])) {
    const value = expressions.valueAt(ratio, point);
    if (!value) continue;
    if (!isReal(value) || value.real.numerator === 0n) return false;
    if (ORDERED.has(first.sign) && value.real.numerator < 0n) return false;
    if (common && !isSameValue(common, value, () => [undefined, undefined])) return false;
    common = value;
    agreed += 1;
  }
  return agreed > 1 ? true : undefined;
}

function difference({ left, right }: Comparison, expressions: Expressions): MathJson | undefined {
  if (left.kind !== 'scalar' || right.kind !== 'scalar') return undefined;
  return ['Subtract', expressions.parse(left.latex), expressions.parse(right.latex)];
}

/** Creates a judge by values of 50 digits: of closed expressions, or at fixed sample points. */
export function symbolicJudge(engine: SymbolicEngine, tolerance = 0): PartComparison {
  const expressions = new Expressions(engine);
  return {
    values: (left, right) => attempt(() => compareValues(left, right, expressions, tolerance)),
    relations: (left, right) => attempt(() => compareRelations(left, right, expressions)),
  };
}

/** Runs a test; an unsupported expression or an error of the library leaves the result undecided. */
function attempt(test: () => Decision): Decision {
  try {
    return test();
  } catch {
    return undefined;
  }
}

function compareValues(left: Value, right: Value, expressions: Expressions, tolerance: number): Decision {
  if (left.latex === right.latex) return true;
  if (left.value && right.value) return valuesAgree(left, right, tolerance);
  if (/^[a-zA-Z]+$/.test(left.latex) && /^[a-zA-Z]+$/.test(right.latex)) return false;
  const [first, second] = [expressions.parse(left.latex), expressions.parse(right.latex)];
  const points = expressions.points([first, second]);
  let agreed = 0;
  for (const point of points) {
    const [a, b] = [expressions.valueAt(first, point), expressions.valueAt(second, point)];
    if (!a !== !b) return undefined;
    if (!a || !b) continue;
    const again = () =>
      [expressions.valueAt(first, point, true), expressions.valueAt(second, point, true)] as ReturnType<
        Parameters<typeof isSameValue>[2]
      >;
    if (isSameValue(a, b, again)) agreed += 1;
    else if (points.length === 1) return isApproximation(left, a, right, b, tolerance);
    // Outside of the positive reals a root or a logarithm has several branches.
    else if (point.positive || (isReal(a) && isReal(b))) return false;
  }
  return agreed >= Math.min(FEWEST_POINTS, points.length) ? true : undefined;
}

/** Compares a written decimal with the exact value of which it may be the rounding. */
function isApproximation(
  left: Value,
  a: ComplexValue,
  right: Value,
  b: ComplexValue,
  tolerance: number,
): boolean {
  if (tolerance > 0) return isCloseTo(a, b, tolerance);
  return (
    isReal(a) &&
    isReal(b) &&
    (isRoundingOf(left.latex, right.latex, b.real) || isRoundingOf(right.latex, left.latex, a.real))
  );
}
