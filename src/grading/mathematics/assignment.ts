import type { MathAnswer, Relation } from './structure.js';

/** A name and its value: `x = 5`, `f(x) = 2x`, `\angle APC = 74`. */
export interface Assignment {
  name: MathAnswer;
  value: MathAnswer;
}

/**
 * Reads a relation that only gives a name to a value. In a chain of computations (`x = 5+6 = 11`, `2+3 = 5`) the value
 * is the last side; a side after an approximation sign is ignored in favour of the exact value before it.
 */
export function asAssignment(relation: Relation): Assignment | undefined {
  const { sides, signs } = relation;
  const approximate = signs.indexOf('\\approx');
  const [head] = sides;
  if (approximate === 0 && head) return isName(head) ? withName(head, sides[1]) : { name: head, value: head };
  const exact = approximate > 0 ? sides.slice(0, approximate + 1) : sides;
  if (!signs.slice(0, exact.length - 1).every((sign) => sign === '=')) return undefined;
  const [first, last] = [exact[0], exact.at(-1)];
  if (!first || !last) return undefined;
  if (isName(first)) return { name: first, value: last };
  if (exact.length === 2 && isName(last)) return { name: last, value: first };
  // `m+n = 25+17 = 42`, but not `a+b = 4` alone, which is an equation.
  if (exact.length > 2 && isSum(first) && exact.slice(1).every(isNumber)) return { name: first, value: last };
  // In `6 \cdot 7 = 42` every side is a number.
  if (exact.every(isNumber)) return { name: first, value: last };
  return undefined;
}

/**
 * Returns the number to which an equation or congruence sets the quantity that was asked for: 45 of `m+n = 45`,
 * `|S| = 45`, `x_1x_2 \\equiv 45`. An equation to be solved, `2x = 45`, has none; an answer that is no relation is itself.
 */
export function quantityOf(answer: MathAnswer): MathAnswer | undefined {
  if (answer.kind !== 'relation') return answer;
  const { sides, signs } = answer;
  if (!signs.every((sign) => sign === '=' || sign === '\\equiv')) return undefined;
  const [first, last] = [sides[0], sides.at(-1)];
  if (!first || !last) return undefined;
  if (!hasUnknown(last)) return isQuantity(first) ? last : undefined;
  return sides.length === 2 && !hasUnknown(first) && isQuantity(last) ? first : undefined;
}

const spelling = (side: MathAnswer) => (side.kind === 'scalar' ? side.latex : side.text);

const hasUnknown = (side: MathAnswer) =>
  side.kind !== 'scalar' || /[a-zA-Z]/.test(side.latex.replace(/\\[a-zA-Z]+/g, ''));

/** Reports whether a side may be a quantity whose value was asked for: neither words, `3 when x`, nor `2x+1` or `x^2`. */
function isQuantity(side: MathAnswer): boolean {
  const text = spelling(side).replace(/_\{[^{}]*\}|\\(?!frac)[a-zA-Z]+ ?/g, '#');
  return !/[a-zA-Z\d)] [a-zA-Z]|[a-zA-Z]{5}|^(?!x$)(?:[x\d+*/^. {}-]|\\frac)+$/.test(text);
}

const isNumber = (side: MathAnswer) => side.kind === 'scalar' && side.value !== undefined;

/** Reports whether an expression is a sum or a product of letters alone. */
const isSum = (side: MathAnswer) =>
  side.kind === 'scalar' && /^[a-zA-Z]+(?:\+[a-zA-Z]+){0,5}$/.test(side.latex);

function withName(name: MathAnswer, value: MathAnswer | undefined): Assignment | undefined {
  return value && { name, value };
}

const NAMES = [
  // x, x', x_1, \theta
  /^(?:[a-zA-Z]|\\(?!pi\b|infty\b)[a-zA-Z]+)'*(?:_\{[^{}]*\})?$/,
  // f(x), W_n(2), f^{-1}(x)
  /^[a-zA-Z]'*(?:_\{[^{}]*\})?(?:\^\{-1\})?\([^()=]*\)$/,
  // x1
  /^[a-zA-Z]\d$/,
  // AB, |AB|, \angle ABC, \overline{AB}, \frac{AB}{CD}
  /^\|?[A-Z]{2,4}\|?$|^\|[a-z]\|$|^\\(?:angle|overline|triangle)\s?\{?[A-Z]{1,3}\}?$|^\\frac\{[A-Z]{2,3}\}\{[A-Z]{2,3}\}$/,
];

/** Reports whether an answer can be the name of a quantity. */
export function isName(answer: MathAnswer): boolean {
  if (answer.kind === 'tuple' || answer.kind === 'ratio') return answer.members.every(isName);
  return isSymbol(answer) || (answer.kind === 'words' && /^[a-zA-Z][a-zA-Z .()'-]*$/.test(answer.text));
}

/** Reports whether a name is in mathematical notation. */
export function isSymbol(answer: MathAnswer): boolean {
  const text = answer.kind === 'scalar' ? answer.latex : answer.kind === 'words' ? answer.text : '';
  return NAMES.some((pattern) => pattern.test(text));
}
