import { type MathJson, Unsupported } from './math-json.js';
import { MAX_UNKNOWNS, type SamplePoint, samplePoints } from './sampling.js';
import { findUnknowns, substitute } from './substitution.js';
import type { ComplexValue, SymbolicEngine } from './symbolic-engine.js';

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
