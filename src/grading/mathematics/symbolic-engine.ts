import type { ComputeEngine } from '@cortex-js/compute-engine';
import { checkCost } from './evaluation-cost.js';
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
