import { DEEPEST_NESTING, MAX_BITS } from '../bounds.js';
import {
  add,
  bitLength,
  divide,
  isInteger,
  multiply,
  negate,
  power,
  type Rational,
  rational,
  readDecimal,
} from './rational.js';

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

/** A piece of an arithmetic expression; numbers keep their text. */
interface Token {
  kind: 'number' | 'operator' | 'open' | 'close' | 'command';
  text: string;
}

/** Notation: in a puzzle the letter x between numbers means multiplication, in mathematics an unknown. */
type Notation = 'mathematics' | 'puzzle';

const operator = (text: string): Token => ({ kind: 'operator', text });
const STAR = operator('*');
const CARET = operator('^');

/** Tokens by symbol. Any other symbol makes the expression unreadable. */
const SYMBOLS: Record<string, Token> = {
  '+': operator('+'),
  '-': operator('-'),
  '−': operator('-'),
  '–': operator('-'),
  '*': STAR,
  '×': STAR,
  '·': STAR,
  '⋅': STAR,
  '∗': STAR,
  '/': operator('/'),
  '÷': operator('/'),
  '∕': operator('/'),
  '^': CARET,
  '!': operator('!'),
  '(': { kind: 'open', text: '(' },
  ')': { kind: 'close', text: ')' },
  '[': { kind: 'open', text: '[' },
  ']': { kind: 'close', text: ']' },
  '{': { kind: 'open', text: '{' },
  '}': { kind: 'close', text: '}' },
  '\\times': STAR,
  '\\cdot': STAR,
  '\\ast': STAR,
  '\\div': operator('/'),
  '\\frac': { kind: 'command', text: '\\frac' },
  '\\dfrac': { kind: 'command', text: '\\frac' },
  '\\tfrac': { kind: 'command', text: '\\frac' },
  '\\binom': { kind: 'command', text: '\\binom' },
};

/** Commands that only change the appearance of an expression. */
const SILENT = new Set(['\\left', '\\right', '\\displaystyle', '\\,', '\\;', '\\:', '\\!', '\\ ', '\\quad']);

const PIECE = /\s+|\d+(?:\.\d+)?|\.\d+|\*\*|\\[a-zA-Z]+|\\[^a-zA-Z]|[^\s\d]/g;

/** Splits an expression in plain or LaTeX notation; `undefined` where it contains anything but arithmetic. */
function tokenize(text: string, notation: Notation): Token[] | undefined {
  const tokens: Token[] = [];
  for (const [piece] of text.matchAll(PIECE)) {
    const token = readPiece(piece, notation);
    if (token === undefined) return undefined;
    if (token) tokens.push(token);
  }
  return tokens;
}

/** Reads a piece; `null` for one without meaning, `undefined` for one that is not arithmetic. */
function readPiece(piece: string, notation: Notation): Token | null | undefined {
  if (/^\s/.test(piece) || SILENT.has(piece)) return null;
  if (/\d/.test(piece)) return { kind: 'number', text: piece };
  if (piece === '**') return CARET;
  if (notation === 'puzzle' && (piece === 'x' || piece === 'X')) return STAR;
  return Object.hasOwn(SYMBOLS, piece) ? SYMBOLS[piece] : undefined;
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

const LARGEST_FACTORIAL = 5_000n;
const LARGEST_BINOMIAL = 10_000n;

/** Computes n! for a whole 0 ≤ n ≤ 5,000, otherwise `undefined`. */
function factorial(value: Rational): Rational | undefined {
  const count = value.numerator / value.denominator;
  if (!isInteger(value) || count < 0n || count > LARGEST_FACTORIAL) return undefined;
  return rational(productOfRange(1n, count));
}

/** Computes n (n−1) … (n−k+1) / k! for whole 0 ≤ k ≤ n ≤ 10,000, otherwise `undefined`. */
function binomial(upper: Rational, lower: Rational): Rational | undefined {
  if (!isInteger(upper) || !isInteger(lower)) return undefined;
  const n = upper.numerator / upper.denominator;
  const k = lower.numerator / lower.denominator;
  if (k < 0n || k > n || n > LARGEST_BINOMIAL) return undefined;
  const smaller = 2n * k < n ? k : n - k;
  const result = productOfRange(n - smaller + 1n, n) / productOfRange(1n, smaller);
  return bitLength(result) > MAX_BITS ? undefined : rational(result);
}

/** Multiplies a range of numbers. Balanced factors make large products fast. */
function productOfRange(from: bigint, to: bigint): bigint {
  if (from > to) return 1n;
  if (to - from < 8n) {
    let result = from;
    for (let factor = from + 1n; factor <= to; factor++) result *= factor;
    return result;
  }
  const middle = (from + to) / 2n;
  return productOfRange(from, middle) * productOfRange(middle + 1n, to);
}

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
