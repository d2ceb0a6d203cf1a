import { isRoundingOf, valuesAgree } from './agreement.js';
import type { Judge } from './compare-answers.js';
import type { Value } from './compare-scalars.js';
import { Expressions } from './expressions.js';
import { isCloseTo, isReal, isSameValue } from './numeric-closeness.js';
import { compareRelations } from './relations.js';
import type { ComplexValue, SymbolicEngine } from './symbolic-engine.js';
import type { Verdict } from './three-valued.js';

/** Minimum points with a value of both expressions for their agreement to count. */
const FEWEST_POINTS = 2;

/** Creates a judge by values of 50 digits: of closed expressions, or at fixed sample points. */
export function symbolicJudge(engine: SymbolicEngine, tolerance = 0): Judge {
  const expressions = new Expressions(engine);
  return {
    values: (left, right) => attempt(() => compareValues(left, right, expressions, tolerance)),
    relations: (left, right) => attempt(() => compareRelations(left, right, expressions)),
  };
}

/** Runs a test; an unsupported expression or an error of the library leaves the result undecided. */
function attempt(test: () => Verdict): Verdict {
  try {
    return test();
  } catch {
    return undefined;
  }
}

function compareValues(left: Value, right: Value, expressions: Expressions, tolerance: number): Verdict {
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
