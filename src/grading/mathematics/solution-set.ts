import { isName } from './assignment.js';
import { compareRationals, type Rational } from './rational.js';
import type { MathAnswer, Relation } from './structure.js';

type Tuple = Extract<MathAnswer, { kind: 'tuple' }>;

const infinity = (latex: string): MathAnswer => ({ kind: 'scalar', latex, text: latex });
const BELOW = infinity('-\\infty');
const ABOVE = infinity('\\infty');

/** Converts an answer to a set of reals (interval, union, set), to compare `-2 \le x < 7` and `[-2, 7)`. */
export function asSolutionSet(answer: MathAnswer): MathAnswer | undefined {
  if (answer.kind === 'tuple' || answer.kind === 'union' || answer.kind === 'set') return answer;
  if (answer.kind === 'relation') return fromRelation(answer);
  if (answer.kind === 'list') return fromRays(answer.members);
  if (answer.text === '\\mathbb{R}' || /^all real(?: number)?s$/i.test(answer.text))
    return interval(BELOW, '<', '<', ABOVE);
  return undefined;
}

const FLIPPED: Record<string, string> = { '<': '>', '>': '<', '\\leq': '\\geq', '\\geq': '\\leq' };

function fromRelation({ sides, signs }: Relation): MathAnswer | undefined {
  const [first, second, third] = sides;
  const [sign = '', other = ''] = signs;
  if (!first || !second) return undefined;
  if (sides.length === 2) {
    if (sign === '\\in' && isName(first)) return asSolutionSet(second) ?? second;
    if (sign === '\\neq' && isName(first)) return except(second);
    if (isName(first)) return ray(sign, second);
    return isName(second) ? ray(FLIPPED[sign] ?? '', first) : undefined;
  }
  if (sides.length !== 3 || !third || !isName(second)) return undefined;
  if (isRising(sign) && isRising(other)) return interval(first, sign, other, third);
  if (isRising(FLIPPED[sign] ?? '') && isRising(FLIPPED[other] ?? '')) {
    return interval(third, FLIPPED[other] ?? '', FLIPPED[sign] ?? '', first);
  }
  return undefined;
}

/** Returns the bounded quantity, as written: the x of `2 < x`. */
export function subjectOf({ sides }: Relation): string | undefined {
  const subject = sides.length === 3 ? sides[1] : sides.find(isName);
  return subject && isName(subject) ? subject.text : undefined;
}

const isRising = (sign: string) => sign === '<' || sign === '\\leq';

function ray(sign: string, bound: MathAnswer): MathAnswer | undefined {
  if (isRising(sign)) return interval(BELOW, '<', sign, bound);
  return isRising(FLIPPED[sign] ?? '') ? interval(bound, FLIPPED[sign] ?? '', '<', ABOVE) : undefined;
}

function interval(from: MathAnswer, left: string, right: string, to: MathAnswer): Tuple {
  const open = left === '<' ? '(' : '[';
  const close = right === '<' ? ')' : ']';
  return { kind: 'tuple', open, close, members: [from, to], text: `${open}${from.text},${to.text}${close}` };
}

function except(value: MathAnswer): MathAnswer {
  const members = [interval(BELOW, '<', '<', value), interval(value, '<', '<', ABOVE)];
  return { kind: 'union', members, text: members.map((member) => member.text).join('\\cup') };
}

/** Reads `x < -8 or x > 8` as two disjoint rays. Overlapping rays were joined by "and", which is not supported. */
function fromRays(members: MathAnswer[]): MathAnswer | undefined {
  const rays = members.map((member) => (member.kind === 'relation' ? fromRelation(member) : undefined));
  const lower = rays.find((ray) => ray?.kind === 'tuple' && ray.members[0] === BELOW);
  const upper = rays.find((ray) => ray?.kind === 'tuple' && ray.members[1] === ABOVE);
  if (rays.length !== 2 || lower?.kind !== 'tuple' || upper?.kind !== 'tuple') return undefined;
  const [end, start] = [exactValue(lower.members[1]), exactValue(upper.members[0])];
  if (!end || !start || compareRationals(end, start) > 0) return undefined;
  return { kind: 'union', members: [lower, upper], text: `${lower.text}\\cup${upper.text}` };
}

function exactValue(answer: MathAnswer | undefined): Rational | undefined {
  return answer?.kind === 'scalar' ? answer.value : undefined;
}
