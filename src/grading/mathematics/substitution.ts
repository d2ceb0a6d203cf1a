import { type MathJson, type Substitution, Unsupported } from './math-json.js';

/** Functions of numbers that the library evaluates. */
const FUNCTIONS = new Set([
  ...[
    'Add',
    'Subtract',
    'Negate',
    'Multiply',
    'Divide',
    'Rational',
    'Power',
    'Sqrt',
    'Root',
    'Abs',
    'Exp',
    'Ln',
    'Lb',
  ],
  ...['Log', 'Sin', 'Cos', 'Tan', 'Cot', 'Sec', 'Csc', 'Arcsin', 'Arccos', 'Arctan', 'Sinh', 'Cosh', 'Tanh'],
  ...['Floor', 'Ceil', 'Factorial', 'Binomial', 'GCD', 'LCM', 'Mod', 'Max', 'Min', 'Degrees', 'Conjugate'],
]);

/** Functions that are mostly used with whole numbers. */
const DISCRETE = new Set(['Factorial', 'Binomial', 'GCD', 'LCM', 'Mod', 'Sum', 'Product']);

const CONSTANTS: Record<string, MathJson> = {
  Pi: 'Pi',
  e: 'ExponentialE',
  ExponentialE: 'ExponentialE',
  i: ['Complex', 0, 1],
  ImaginaryUnit: ['Complex', 0, 1],
};

const INVERSES: Record<string, string> = { Sin: 'Arcsin', Cos: 'Arccos', Tan: 'Arctan' };

const MAX_TERMS = 200;

/** Maximum number of nodes of an expression with its sums expanded. */
const MAX_NODES = 3_000;

/** Unknowns of an expression, and whether only whole numbers make sense for them. */
export interface Unknowns {
  names: Set<string>;
  discrete: boolean;
}

/** Collects the unknowns of an expression. */
export function findUnknowns(expression: MathJson): Unknowns {
  const names = new Set<string>();
  const found: Unknowns = { names, discrete: false };
  close(expression, {
    budget: { nodes: MAX_NODES },
    unknown: (name) => {
      names.add(name);
      return 1;
    },
    onHead: (head) => {
      if (DISCRETE.has(head)) found.discrete = true;
    },
  });
  return found;
}

/**
 * Replaces unknowns by numbers, and juxtaposition, brackets, sums and inverse functions by arithmetic that the library
 * evaluates without guessing the meaning of a letter. The result is closed: its only symbols are π and e.
 */
export function substitute(expression: MathJson, values: Substitution): MathJson {
  return close(expression, {
    budget: { nodes: MAX_NODES },
    unknown: (name) => values.get(name) ?? fail(`no value for ${name}`),
  });
}

interface Visitor {
  unknown(name: string): MathJson;
  onHead?(head: string): void;
  /** Limit shared by all visitors that are derived from this one: nested sums multiply. */
  budget: { nodes: number };
}

function fail(reason: string): never {
  throw new Unsupported(reason);
}

function close(expression: MathJson, visitor: Visitor): MathJson {
  visitor.budget.nodes -= 1;
  if (visitor.budget.nodes < 0) fail('too large');
  if (typeof expression === 'number') return expression;
  if (typeof expression === 'string') return closeSymbol(expression, visitor);
  if (!Array.isArray(expression)) return expression;
  const [head, ...operands] = expression;
  visitor.onHead?.(head);
  const closed = () => operands.map((operand) => close(operand, visitor));
  if (head === 'Delimiter' && operands.length === 1) return close(operands[0] as MathJson, visitor);
  if (head === 'InvisibleOperator') return closeJuxtaposition(operands, visitor);
  if (head === 'Sum' || head === 'Product') return closeSeries(head, operands, visitor);
  if (head === 'Apply') return closeInverse(operands, visitor);
  if (head === 'Prime') return visitor.unknown(JSON.stringify(expression));
  if (FUNCTIONS.has(head)) return [head, ...closed()];
  // `P(x)`: an unknown function, identified by its spelling.
  if (/^[a-zA-Z](?:_\w+)?$/.test(head)) return visitor.unknown(JSON.stringify(expression));
  return fail(`${head} is not evaluated`);
}

function closeSymbol(name: string, visitor: Visitor): MathJson {
  if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name] as MathJson;
  if (name.startsWith("'") || /Infinity|Numbers|Set|Placeholder|Nothing|Undefined|NaN/.test(name))
    return fail(name);
  return visitor.unknown(name);
}

const FUNCTION_LETTERS = new Set(['f', 'g', 'h', 'F', 'G', 'H']);

/** Rewrites products, `2x` and `a(b+c)` but not `f(x)`, and mixed numbers, `2\frac{1}{2}`. */
function closeJuxtaposition(operands: MathJson[], visitor: Visitor): MathJson {
  const [first, second] = operands;
  if (operands.length === 2 && isWhole(first) && isProperFraction(second))
    return ['Add', first, second as MathJson];
  const factors: MathJson[] = [];
  for (let index = 0; index < operands.length; index++) {
    const [operand, next] = [operands[index] as MathJson, operands[index + 1]];
    const isCall = typeof operand === 'string' && FUNCTION_LETTERS.has(operand) && isDelimiter(next);
    if (isCall) index += 1;
    factors.push(isCall ? visitor.unknown(JSON.stringify([operand, next])) : close(operand, visitor));
  }
  return ['Multiply', ...factors];
}

const isWhole = (value: MathJson | undefined): value is number =>
  Number.isInteger(value) && (value as number) > 0;

const isDelimiter = (value: MathJson | undefined) => Array.isArray(value) && value[0] === 'Delimiter';

function isProperFraction(value: MathJson | undefined): boolean {
  if (!Array.isArray(value) || value[0] !== 'Divide') return false;
  const [, over, under] = value;
  return isWhole(over) && isWhole(under) && over < under;
}

function closeInverse([inverse, argument]: MathJson[], visitor: Visitor): MathJson {
  const name = Array.isArray(inverse) && inverse[0] === 'InverseFunction' ? inverse[1] : undefined;
  const head = typeof name === 'string' ? INVERSES[name] : undefined;
  return head && argument !== undefined ? [head, close(argument, visitor)] : fail('unknown inverse function');
}

/** Expands `\sum_{k=1}^{n}` term by term, once its bounds are whole numbers. */
function closeSeries(head: string, [term, range]: MathJson[], visitor: Visitor): MathJson {
  if (term === undefined || !Array.isArray(range) || typeof range[1] !== 'string')
    return fail('unknown range');
  const index = range[1];
  const [from, to] = [close(range[2] ?? '', visitor), close(range[3] ?? '', visitor)];
  if (typeof from !== 'number' || typeof to !== 'number' || to - from >= MAX_TERMS)
    return fail('too many terms');
  const terms: MathJson[] = [];
  for (let value = from; value <= to; value++) {
    terms.push(
      close(term, { ...visitor, unknown: (name) => (name === index ? value : visitor.unknown(name)) }),
    );
  }
  return terms.length > 0 ? [head === 'Sum' ? 'Add' : 'Multiply', ...terms] : head === 'Sum' ? 0 : 1;
}
