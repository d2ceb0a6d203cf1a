import type { ComputeEngine } from '@cortex-js/compute-engine';
import { DEEPEST_NESTING } from '../bounds.js';
import { type MathJson, Unsupported } from './math-json.js';
import { type Rational, readDecimal } from './rational.js';

/** Digits of the normal evaluation, and of the second one of possible zeros. */
const DIGITS = 50;
const MANY_DIGITS = 120;

/** Value of a closed expression, to `DIGITS` digits. */
export interface ComplexValue {
  real: Rational;
  imaginary: Rational;
}

/** The part of the maths library that is used here: its LaTeX parser and its evaluation of closed expressions. */
export interface SymbolicEngine {
  /** @throws {Unsupported} for LaTeX that the library cannot read. */
  parse(latex: string): MathJson;
  /** Evaluates; `undefined` for non-finite values. @throws {Unsupported} where it would take too long. */
  evaluate(closed: MathJson, precise?: boolean): ComplexValue | undefined;
}

let engine: Promise<SymbolicEngine> | undefined;

/** Copy of the library beside the built code (`scripts/vendor.mjs`), so that it is no package to install. */
const VENDORED = new URL('../../vendor/compute-engine/compute-engine.js', import.meta.url).href;

function library(): Promise<typeof import('@cortex-js/compute-engine')> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ VENDORED).catch(
    () => import(/* webpackIgnore: true */ '@cortex-js/compute-engine'),
  );
}

/** Loads the library at the first call (about 0.3 s and 60 MB); later calls share it. */
export function loadSymbolicEngine(): Promise<SymbolicEngine> {
  engine ??= library().then(
    (loaded) => adapt(new loaded.ComputeEngine()),
    (error: unknown) => {
      engine = undefined;
      throw error;
    },
  );
  return engine;
}

const MAX_NODES = 600;
const MAX_DIGITS = 20_000;
const LARGEST_ARGUMENT: Record<string, number> = {
  Factorial: 3_000,
  Binomial: 5_000,
  Sinh: 1_000,
  Cosh: 1_000,
  Tanh: 1_000,
  Exp: 10_000,
};

/**
 * Refuses a closed expression on which the library could work for seconds: `9^{9^{9}}`, `1000000!`.
 * @throws {Unsupported}
 */
function checkCost(expression: MathJson): void {
  const nodes = { left: MAX_NODES };
  estimate(expression, 0, nodes);
}

/** Estimates a magnitude, `NaN` where it is unknown; good enough to tell 1,000 from a million. */
function estimate(expression: MathJson, depth: number, nodes: { left: number }): number {
  nodes.left -= 1;
  if (nodes.left < 0 || depth > DEEPEST_NESTING) throw new Unsupported('the expression is too large');
  if (typeof expression === 'number') return expression;
  if (expression === 'Pi') return Math.PI;
  if (expression === 'ExponentialE') return Math.E;
  if (typeof expression === 'string') return Number.NaN;
  if (!Array.isArray(expression)) return Number(expression.num);
  const [head, ...operands] = expression;
  const values = operands.map((operand) => estimate(operand, depth + 1, nodes));
  checkArguments(head, values);
  return combine(head, values);
}

function checkArguments(head: string, values: number[]): void {
  const largest = LARGEST_ARGUMENT[head];
  if (largest !== undefined && !values.every((value) => Math.abs(value) <= largest)) {
    throw new Unsupported(`the argument of ${head} is too large`);
  }
  if (head !== 'Power' && head !== 'Root') return;
  const [base = Number.NaN, exponent = Number.NaN] = values;
  const digits = Math.abs(exponent) * Math.max(1, Math.abs(Math.log10(Math.abs(base) || 1)) || 1);
  if (!(digits <= MAX_DIGITS)) throw new Unsupported('the power is too large');
}

function combine(head: string, values: number[]): number {
  const [first = Number.NaN, second = Number.NaN] = values;
  switch (head) {
    case 'Add':
      return values.reduce((sum, value) => sum + value, 0);
    case 'Subtract':
      return first - second;
    case 'Negate':
      return -first;
    case 'Multiply':
      return values.reduce((product, value) => product * value, 1);
    case 'Divide':
    case 'Rational':
      return first / second;
    case 'Power':
      return Math.abs(first) ** second;
    case 'Sqrt':
      return Math.sqrt(Math.abs(first));
    case 'Root':
      return Math.abs(first) ** (1 / second);
    case 'Complex':
      return Math.abs(first) + Math.abs(second);
    case 'Exp':
      return Math.exp(first);
    case 'Ln':
    case 'Lb':
    case 'Log':
      return Math.log(Math.abs(first));
    case 'Degrees':
      return (first * Math.PI) / 180;
    case 'Abs':
    case 'Floor':
    case 'Ceil':
    case 'Conjugate':
    case 'Max':
    case 'Min':
    case 'GCD':
    case 'LCM':
    case 'Mod':
      return first;
    case 'Factorial':
      return first < 20 ? Math.max(1, first) ** first : Number.POSITIVE_INFINITY;
    case 'Binomial':
      return Number.POSITIVE_INFINITY;
    default:
      // A trigonometric function, or its inverse.
      return 1;
  }
}

function adapt(library: ComputeEngine): SymbolicEngine {
  library.precision = DIGITS;
  return {
    parse(latex) {
      // Adjacent numbers would be read as one: `3 4` as 34.
      if (/\d \d/.test(latex)) throw new Unsupported('two numbers side by side');
      if (/\de[+-]?\d{5,}/i.test(latex)) throw new Unsupported('too large an exponent');
      // The raw form: nothing is evaluated while parsing, and no letter is declared a function.
      return library.parse(latex, { form: 'raw' }).json as MathJson;
    },
    evaluate(closed, precise = false) {
      checkCost(closed);
      if (!precise) return readValue(library.box(closed as never).N().json as MathJson);
      library.precision = MANY_DIGITS;
      try {
        return readValue(library.box(closed as never).N().json as MathJson);
      } finally {
        library.precision = DIGITS;
      }
    },
  };
}

const ZERO: Rational = { numerator: 0n, denominator: 1n };

function readValue(json: MathJson): ComplexValue | undefined {
  if (Array.isArray(json) && json[0] === 'Complex') {
    const [real, imaginary] = [readReal(json[1]), readReal(json[2])];
    return real && imaginary ? { real, imaginary } : undefined;
  }
  const real = readReal(json);
  return real && { real, imaginary: ZERO };
}

function readReal(json: MathJson | undefined): Rational | undefined {
  if (typeof json === 'number') return readDecimal(String(json));
  if (typeof json !== 'object' || Array.isArray(json)) return undefined;
  return readDecimal(json.num);
}
