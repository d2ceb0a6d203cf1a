import { type MathJson, type Substitution, Unsupported } from './math-json.js';
import { findUnknowns, substitute } from './substitution.js';
import type { ComplexValue, SymbolicEngine } from './symbolic-engine.js';

/**
 * Sample points for expressions with unknowns, the same on every machine and in every run. Two have only positive
 * coordinates (roots and logarithms are real there), two have negative ones (|x| is not x). No two coordinates are
 * related in a simple way, so that unequal expressions do not have equal values by accident.
 */
const REAL_POINTS = [
  [1.3717, 2.2193, 0.6841, 3.1459, 1.8137, 0.4373, 2.7191, 1.1093],
  [2.6133, 0.7759, 1.9471, 0.5317, 3.3049, 1.2851, 0.8963, 2.0677],
  [-0.8429, -1.7351, -2.3917, -0.6173, -1.2239, -2.8411, -0.3797, -1.5413],
  [-1.9273, 1.4657, -0.7411, 2.5109, -3.0337, 0.9241, -1.1869, 0.6487],
];

/** Points for factorials, binomials, sums and remainders. */
const WHOLE_POINTS = [
  [5, 3, 7, 4, 6, 2, 8, 9],
  [7, 4, 5, 9, 3, 6, 10, 2],
  [4, 2, 9, 3, 8, 5, 6, 7],
  [9, 6, 4, 7, 5, 3, 11, 8],
];

/** Maximum number of unknowns of expressions that are compared by value. */
const MAX_UNKNOWNS = 8;

/** A sample point: a number for each unknown. */
interface SamplePoint {
  values: Substitution;
  /** True if every coordinate is positive. */
  positive: boolean;
}

/** Returns the points for expressions with these unknowns; one point for none. */
function samplePoints(names: string[], discrete: boolean): SamplePoint[] {
  if (names.length === 0) return [{ values: new Map(), positive: true }];
  return (discrete ? WHOLE_POINTS : REAL_POINTS).map((point) => {
    const coordinates = point.slice(0, names.length);
    const values = new Map<string, MathJson>(
      names.map((name, index) => [name, coordinates[index] as number]),
    );
    return { values, positive: coordinates.every((coordinate) => coordinate > 0) };
  });
}

/** Parser and evaluator that parses each LaTeX text once. */
export class Expressions {
  private readonly parsed = new Map<string, MathJson>();

  constructor(private readonly engine: SymbolicEngine) {}

  parse(latex: string): MathJson {
    const known = this.parsed.get(latex);
    if (known !== undefined) return known;
    const expression = this.engine.parse(latex);
    this.parsed.set(latex, expression);
    return expression;
  }

  points(expressions: MathJson[]): SamplePoint[] {
    const found = expressions.map(findUnknowns);
    const names = [...new Set(found.flatMap((unknowns) => [...unknowns.names]))].sort();
    if (names.length > MAX_UNKNOWNS) throw new Unsupported('too many unknowns');
    return samplePoints(
      names,
      found.some((unknowns) => unknowns.discrete),
    );
  }

  valueAt(expression: MathJson, point: SamplePoint, precise = false): ComplexValue | undefined {
    return this.engine.evaluate(substitute(expression, point.values), precise);
  }
}
