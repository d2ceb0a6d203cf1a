import type { Expressions } from './expressions.js';
import type { MathJson } from './math-json.js';
import { isReal, isSameValue } from './numeric-closeness.js';
import type { Answer, Relation } from './structure.js';
import type { ComplexValue } from './symbolic-engine.js';
import { every, type Verdict } from './three-valued.js';

/** A comparison of `left` with `right`, turned so that the sign is one of = \neq < \leq. */
interface Comparison {
  left: Answer;
  right: Answer;
  sign: string;
}

const FLIPPED: Record<string, string> = { '>': '<', '\\geq': '\\leq' };
const ORDERED = new Set(['<', '\\leq']);
const KNOWN = new Set(['=', '\\neq', ...ORDERED]);

/**
 * Reports whether two equations or inequalities are equivalent: their differences (left side minus right side) have a
 * constant ratio at every sample point, and for inequalities a positive one.
 */
export function compareRelations(left: Relation, right: Relation, expressions: Expressions): Verdict {
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
    left: ordered[index] as Answer,
    right: ordered[index + 1] as Answer,
    sign,
  }));
}

function compareOne(first: Comparison, second: Comparison, expressions: Expressions): Verdict {
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
