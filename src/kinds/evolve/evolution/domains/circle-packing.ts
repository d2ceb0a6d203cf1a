import { isMapping } from '../../../../contracts/json.js';
import type { DatasetExample } from '../types.js';
import type { Domain, DomainScore } from './domain.js';

export const CIRCLES = 26;

/** Maximum digits after the point of a number; a double prints at most 17 significant ones. */
const MAX_DECIMALS = 400;
const LONGEST_NUMBER = 100;

/** The length 1. Lengths are integers in units of 10^-400, so that decimals are kept and compared exactly. */
const UNIT = 10n ** BigInt(MAX_DECIMALS);

/** Circle in units of 1/{@link UNIT}. */
interface Circle {
  x: bigint;
  y: bigint;
  radius: bigint;
}

const LONGEST_OUTPUT = 100_000;

/**
 * Reads circles from an output, which may contain nothing else but a code fence around them:
 *
 * - JSON, with Python's tuples allowed: `[[x, y, r], …]`, `[{"x": …, "y": …, "r": …}, …]` (or `radius`),
 *   `{"circles": …}` with one of these, or `{"centers": [[x, y], …], "radii": [r, …]}`;
 * - one circle per line: three numbers separated by spaces, commas or semicolons.
 *
 * Numbers are decimals, with or without an exponent. NaN, infinities, fractions, quoted numbers and expressions are
 * refused.
 */
function readCircles(output: string): { circles: Circle[] } | { fault: string } {
  if (output.length > LONGEST_OUTPUT)
    return { fault: `The output is longer than ${LONGEST_OUTPUT} characters.` };
  const text = output
    .trim()
    .replace(/^```[a-z]*|```$/g, '')
    .trim();
  if (text === '') return { fault: 'The output is empty.' };
  const triples = /^[[{(]/.test(text) ? triplesOfJson(text) : triplesOfLines(text);
  if (typeof triples === 'string') return { fault: triples };
  const circles: Circle[] = [];
  for (const [index, triple] of triples.entries()) {
    const [x, y, radius, ...more] = triple.map(readLength);
    if (x === undefined || y === undefined || radius === undefined || more.length > 0) {
      return { fault: `Circle ${index} is not three decimal numbers.` };
    }
    circles.push({ x, y, radius });
  }
  return { circles };
}

/** Reads a decimal in units of 1/UNIT; undefined for anything else, and for numbers that are out of range. */
function readLength(token: unknown): bigint | undefined {
  if (typeof token !== 'string' || token.length > LONGEST_NUMBER) return undefined;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(token);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (match === null || whole + fraction === '') return undefined;
  const decimals = fraction.length - Number(exponent);
  if (decimals > MAX_DECIMALS || decimals < -LONGEST_NUMBER) return undefined;
  const size = BigInt(whole + fraction) * 10n ** BigInt(MAX_DECIMALS - decimals);
  return sign === '-' ? -size : size;
}

function triplesOfLines(text: string): unknown[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.split(/[\s,;]+/).filter((token) => token !== ''));
}

/** Returns the three tokens of each circle as they are written, or what is wrong. */
function triplesOfJson(text: string): unknown[][] | string {
  let value: unknown;
  try {
    value = JSON.parse(withQuotedNumbers(text));
  } catch {
    return 'The output is not JSON of numbers (NaN and Infinity are none).';
  }
  const list = fieldOf(value, 'circles') ?? value;
  const centers = fieldOf(list, 'centers') ?? fieldOf(list, 'centres');
  const radii = fieldOf(list, 'radii');
  if (Array.isArray(centers) && Array.isArray(radii)) {
    if (centers.length !== radii.length) return 'There are not as many radii as centers.';
    return centers.map((center, index) => [...tokensOf(center), unquoted(radii[index])]);
  }
  if (!Array.isArray(list)) return 'The output is not a list of circles.';
  return list.map(tokensOf);
}

/**
 * Quotes and marks numbers, since JSON.parse would round them to doubles, turns Python's parentheses into square
 * brackets and drops trailing commas. An unclosed quote takes the rest, so that no text is searched twice.
 */
function withQuotedNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[-+.\d][-+.\deE]*|[()]|,(?=\s*[)\]}])/g, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ',') return '';
    return token === '(' ? '[' : token === ')' ? ']' : `"#${token}"`;
  });
}

function tokensOf(circle: unknown): unknown[] {
  if (Array.isArray(circle)) return circle.map(unquoted);
  return [fieldOf(circle, 'x'), fieldOf(circle, 'y'), fieldOf(circle, 'radius') ?? fieldOf(circle, 'r')].map(
    unquoted,
  );
}

/** Returns the text of a marked number; undefined for strings of the output itself. */
function unquoted(token: unknown): unknown {
  return typeof token === 'string' && token.startsWith('#') ? token.slice(1) : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return isMapping(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Packing of 26 circles into the unit square; the score is the sum of their radii, and any fault makes it 0. The best
 * published sum is 2.63598 (see ShinkaEvolve, OpenEvolve, AlphaEvolve).
 *
 * Numbers are read as exact decimals and compared as integers, without tolerance: circles that only touch up to
 * rounding overlap, so shrink the radii a little.
 */
export const circlePacking: Domain = {
  answerFormat:
    `${CIRCLES} circles inside the unit square that do not overlap, as a JSON list of [x, y, radius]; or one circle a line, as ` +
    '"x y radius". The numbers are compared exactly, without a tolerance: leave gaps of 1e-9 or so.',
  perfect: null,
  findFault: () => null,
  score(output): DomainScore {
    const read = readCircles(output);
    if ('fault' in read) return { score: 0, message: read.fault };
    const fault = findFault(read.circles);
    if (fault !== null) return { score: 0, message: fault };
    const sum = read.circles.reduce((total, { radius }) => total + radius, 0n);
    const score = toNumber(sum);
    return { score, message: `The radii add up to ${score}.` };
  },
  expectedOutput: () =>
    `${CIRCLES} circles in the unit square without overlap, with a sum of radii as large as possible (above 2.6 is good).`,
  generate(_seed, count): DatasetExample[] {
    return Array.from({ length: count }, (_, index) => ({
      id: `circle-packing-${index}`,
      input: String(CIRCLES),
      scoring_data: {},
    }));
  },
};

function findFault(circles: readonly Circle[]): string | null {
  if (circles.length !== CIRCLES) return `There are ${circles.length} circles, not ${CIRCLES}.`;
  for (const [index, { x, y, radius }] of circles.entries()) {
    if (radius <= 0n) return `Circle ${index} has no positive radius.`;
    if (x < radius || y < radius || x + radius > UNIT || y + radius > UNIT) {
      return `Circle ${index} is not inside the unit square.`;
    }
  }
  for (const [first, one] of circles.entries()) {
    for (let second = first + 1; second < circles.length; second += 1) {
      const other = circles[second] as Circle;
      const reach = one.radius + other.radius;
      if ((one.x - other.x) ** 2n + (one.y - other.y) ** 2n < reach ** 2n) {
        return `Circles ${first} and ${second} overlap.`;
      }
    }
  }
  return null;
}

/** Converts a length to a number, rounded down in the 15th digit after the point. */
function toNumber(length: bigint): number {
  const digits = 10n ** 15n;
  return Number((length * digits) / UNIT) / Number(digits);
}
