import { DEEPEST_NESTING } from '../bounds.js';
import { type Notation, type Token, tokenize } from './arithmetic-tokens.js';
import { binomial, factorial } from './combinatorics.js';
import { add, divide, multiply, negate, power, type Rational, readDecimal } from './rational.js';

/** Elements of an expression besides + - * / between numbers. */
type Feature = 'brackets' | 'sign' | 'power' | 'factorial' | 'fraction' | 'binomial' | 'juxtaposition';

/** An arithmetic expression that was read completely. */
export interface Arithmetic {
  /** `undefined` where the value does not exist (a division by zero) or is too large to keep exact. */
  value: Rational | undefined;
  /** Numbers in the order in which they are written. */
  numbers: Rational[];
  features: Set<Feature>;
}

/**
 * Reads and evaluates an expression of numbers, + - * / ^ !, brackets, `\frac` and `\binom` in exact arithmetic, with
 * the usual precedence. `undefined` for anything else. The work is bounded for any text.
 */
export function readArithmetic(text: string, notation: Notation = 'mathematics'): Arithmetic | undefined {
  const tokens = tokenize(text, notation);
  if (!tokens || tokens.length === 0) return undefined;
  const reader = new Reader(tokens);
  try {
    const value = reader.sum(0);
    return reader.atEnd ? { value, numbers: reader.numbers, features: reader.features } : undefined;
  } catch (error) {
    if (error instanceof NotArithmetic) return undefined;
    throw error;
  }
}

class NotArithmetic extends Error {}

type Value = Rational | undefined;

/** Recursive descent parser; a missing value (division by zero, too large) propagates as `undefined`. */
class Reader {
  readonly numbers: Rational[] = [];
  readonly features = new Set<Feature>();
  private position = 0;

  constructor(private readonly tokens: Token[]) {}

  get atEnd(): boolean {
    return this.position === this.tokens.length;
  }

  sum(depth: number): Value {
    if (depth > DEEPEST_NESTING) throw new NotArithmetic();
    let value = this.product(depth);
    for (;;) {
      if (this.take('+')) value = combine(value, this.product(depth), add);
      else if (this.take('-')) value = combine(value, this.product(depth), subtract);
      else return value;
    }
  }

  private product(depth: number): Value {
    let value = this.signed(depth);
    for (;;) {
      if (this.take('*')) value = combine(value, this.signed(depth), multiply);
      else if (this.take('/')) value = combine(value, this.signed(depth), divide);
      else if (this.startsFactor()) {
        this.features.add('juxtaposition');
        value = combine(value, this.powered(depth), multiply);
      } else return value;
    }
  }

  /** Reports whether a factor follows: `2(3)` and `(2)(3)` are products, adjacent numbers are not. */
  private startsFactor(): boolean {
    const next = this.tokens[this.position];
    return next !== undefined && (next.kind === 'command' || (next.kind === 'open' && next.text !== '{'));
  }

  private signed(depth: number): Value {
    let negative = false;
    for (;;) {
      if (this.take('-')) negative = !negative;
      else if (!this.take('+')) break;
      this.features.add('sign');
    }
    const value = this.powered(depth);
    return negative && value ? negate(value) : value;
  }

  private powered(depth: number): Value {
    const base = this.postfix(depth);
    if (!this.take('^')) return base;
    this.features.add('power');
    if (depth > DEEPEST_NESTING) throw new NotArithmetic();
    return combine(base, this.signed(depth + 1), power);
  }

  private postfix(depth: number): Value {
    let value = this.primary(depth);
    while (this.take('!')) {
      this.features.add('factorial');
      value = value && factorial(value);
    }
    return value;
  }

  private primary(depth: number): Value {
    if (depth > DEEPEST_NESTING) throw new NotArithmetic();
    const token = this.tokens[this.position++];
    if (token?.kind === 'number') return this.number(token.text, depth);
    if (token?.kind === 'open') {
      if (token.text !== '{') this.features.add('brackets');
      return this.closed(token.text, depth);
    }
    if (token?.kind !== 'command') throw new NotArithmetic();
    this.features.add(token.text === '\\frac' ? 'fraction' : 'binomial');
    const [upper, lower] = [this.braced(depth), this.braced(depth)];
    return combine(upper, lower, token.text === '\\frac' ? divide : binomial);
  }

  private number(text: string, depth: number): Value {
    const value = readDecimal(text);
    if (!value) throw new NotArithmetic();
    this.numbers.push(value);
    if (!/^\d+$/.test(text) || this.tokens[this.position]?.text !== '\\frac') return value;
    // `2\frac{1}{2}` is the mixed number two and a half; `2\frac{3}{2}` can only be a product.
    const fraction = this.primary(depth + 1);
    return combine(value, fraction, fraction && isProper(fraction) ? add : multiply);
  }

  private braced(depth: number): Value {
    if (!this.take('{')) throw new NotArithmetic();
    return this.closed('{', depth);
  }

  private closed(open: string, depth: number): Value {
    const value = this.sum(depth + 1);
    if (!this.take(open === '(' ? ')' : open === '[' ? ']' : '}')) throw new NotArithmetic();
    return value;
  }

  private take(text: string): boolean {
    if (this.tokens[this.position]?.text !== text) return false;
    this.position += 1;
    return true;
  }
}

function isProper(value: Rational): boolean {
  return value.numerator > 0n && value.numerator < value.denominator;
}

type Operation = (left: Rational, right: Rational) => Value;

function combine(left: Value, right: Value, operation: Operation): Value {
  return left && right ? operation(left, right) : undefined;
}

function subtract(left: Rational, right: Rational): Value {
  return add(left, negate(right));
}
