import { DEEPEST_NESTING, MAX_MEMBERS } from '../bounds.js';
import { normalizeMathematics, ROW } from './mathematical-text.js';
import { readScalar, type Scalar } from './scalar.js';

/** Parsed mathematical answer. `text` of each kind is its normalised spelling. */
export type MathAnswer = { text: string } & (
  | Scalar
  | { kind: 'list' | 'set'; members: MathAnswer[] }
  /** A point, a vector or, with two members, an interval, depending on the brackets. */
  | { kind: 'tuple'; open: string; close: string; members: MathAnswer[] }
  | { kind: 'union'; members: MathAnswer[] }
  | { kind: 'matrix'; determinant: boolean; rows: MathAnswer[][] }
  | { kind: 'relation'; sides: MathAnswer[]; signs: string[] }
  | { kind: 'ratio'; members: MathAnswer[] }
  | { kind: 'words' }
);

export type Relation = Extract<MathAnswer, { kind: 'relation' }>;

const COMMAS = new Set([',', ';']);
const UNION = new Set(['\\cup']);
const COLON = new Set([':']);
const SIGNS = new Set(['=', '<', '>', '\\leq', '\\geq', '\\neq', '\\in', '\\approx', '\\equiv', '\\to']);

/** Pattern of `1,234,567`, and of the Indian form `12,34,567`, at the beginning or after a sign, an operator or `, `. */
const GROUPED =
  /((?:^|[=<>+*/-]|\\(?:leq|geq|neq|approx|times|cdot)|, ) ?(?:\\currency\{[a-z]{3}\} ?)?)(\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?!,?\d)/g;

/** Reads an answer as it was written. `groupThousands`: a top-level `1,234` is one number, not a list. */
export function readAnswer(answer: string, groupThousands = true): MathAnswer {
  return readNormalized(normalizeMathematics(answer), 0, groupThousands);
}

const OPENING = new Set(['(', '[', '{', '\\{', '\\begin', '\\lfloor', '\\lceil', '\\langle']);
const CLOSING = new Set([')', ']', '}', '\\}', '\\end', '\\rfloor', '\\rceil', '\\rangle']);

const PIECE = /\\[a-zA-Z]+|\\[\s\S]|[\s\S]/g;

/** Yields every character and command outside of all brackets. Different brackets may match: `[0,1)`. */
function* outside(text: string): Generator<{ piece: string; at: number }> {
  let depth = 0;
  for (const match of text.matchAll(PIECE)) {
    const [piece] = match;
    if (OPENING.has(piece)) depth += 1;
    else if (CLOSING.has(piece)) depth = Math.max(0, depth - 1);
    else if (depth === 0) yield { piece, at: match.index };
  }
}

/** A part of a text, and the separator before it (`''` for the first). */
interface Part {
  text: string;
  separator: string;
}

/** Splits at separators outside of all brackets. */
function splitTopLevel(text: string, separators: ReadonlySet<string>): Part[] {
  const parts: Part[] = [];
  let start = 0;
  let separator = '';
  for (const { piece, at } of outside(text)) {
    if (!separators.has(piece)) continue;
    parts.push({ text: text.slice(start, at).trim(), separator });
    start = at + piece.length;
    separator = piece;
  }
  parts.push({ text: text.slice(start).trim(), separator });
  return parts;
}

/** Splits a text into its enclosing brackets and their content; `undefined` where they do not enclose all of it. */
function enclosing(text: string): { open: string; close: string; inner: string } | undefined {
  const open = /^(?:\\\{|\\langle\s?|[([{])/.exec(text)?.[0];
  const close = /(?:\\\}|\\rangle|[)\]}])$/.exec(text)?.[0];
  if (!open || !close || open.length + close.length > text.length) return undefined;
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (OPENING.has(piece)) depth += 1;
    else if (CLOSING.has(piece)) depth -= 1;
    if (depth === 0 && index + piece.length < text.length) return undefined;
  }
  return { open: open.trim(), close, inner: text.slice(open.length, text.length - close.length).trim() };
}

/** Joins grouped digits outside of brackets: in `(1,234)` the comma separates two coordinates. */
function withoutGroups(text: string): string {
  const places = new Set([...outside(text)].map(({ at }) => at));
  return text.replace(GROUPED, (found, before: string, digits: string, at: number) =>
    places.has(at + before.length) ? before + digits.replaceAll(',', '') : found,
  );
}

function readNormalized(text: string, depth: number, groupThousands = false): MathAnswer {
  if (depth > DEEPEST_NESTING) return { kind: 'words', text };
  if (groupThousands) return readNormalized(withoutGroups(text), depth);
  const members = splitTopLevel(text, COMMAS)
    .map((part) => part.text)
    .filter((part) => part !== '');
  if (members.length > MAX_MEMBERS) return { kind: 'words', text };
  if (members.length > 1)
    return { kind: 'list', text, members: members.map((member) => readPart(member, depth + 1)) };
  return readPart(members[0] ?? '', depth);
}

/** Reads a text without a comma outside of brackets. */
function readPart(text: string, depth: number): MathAnswer {
  const sides = splitTopLevel(text, SIGNS);
  if (sides.length > 1 && sides.length <= MAX_MEMBERS) {
    return {
      kind: 'relation',
      text,
      sides: sides.map((side) => readNormalized(side.text, depth + 1)),
      signs: sides.slice(1).map((side) => side.separator),
    };
  }
  // Between brackets a lone U means the union sign, which ASCII lacks.
  const united = splitTopLevel(text.replace(/([)\]}]) ?U ?(?=[([\\])/g, '$1\\cup '), UNION);
  if (united.length > 1) {
    return { kind: 'union', text, members: united.map((part) => readNormalized(part.text, depth + 1)) };
  }
  return (
    readMatrix(text, depth) ?? readBracketed(text, depth) ?? readRatio(text, depth) ?? readSingle(text, depth)
  );
}

function readBracketed(text: string, depth: number): MathAnswer | undefined {
  const brackets = enclosing(text);
  if (!brackets) return undefined;
  const { open, close, inner } = brackets;
  if (open === '{') return readNormalized(inner, depth + 1);
  const content = readNormalized(inner, depth + 1);
  const members = content.kind === 'list' ? content.members : inner === '' ? [] : [content];
  if (open === '\\{') return readSet(text, inner, members, depth);
  // `(5)` is 5 and `(C)` is C, but `[5]` differs.
  if (members.length === 1 && open === '(' && close === ')') return content;
  return { kind: 'tuple', text, open, close, members };
}

/** Reads a set; `\{x | x > 2\}` becomes its condition. */
function readSet(text: string, inner: string, members: MathAnswer[], depth: number): MathAnswer {
  const condition = /^([a-zA-Z])(?:\\in ?\\mathbb\{R\})? ?[|:] ?(.+)$/.exec(inner);
  if (condition) return readNormalized(condition[2] ?? '', depth + 1);
  return { kind: 'set', text, members };
}

const MATRIX =
  /^\[?\\begin\{(pmatrix|bmatrix|matrix|Bmatrix|smallmatrix|vmatrix|array)\}(?:\{[lcr|]*\})?(.*)\\end\{\1\}\]?$/;

function readMatrix(text: string, depth: number): MathAnswer | undefined {
  const [, environment, body = ''] = MATRIX.exec(text.replace(/^\((\\begin.*)\)$/, '$1')) ?? [];
  if (!environment) return undefined;
  const rows = body
    .split(ROW)
    .filter((row) => row.trim() !== '')
    .map((row) => row.split('&').map((cell) => readNormalized(cell.trim(), depth + 1)));
  if (rows.length === 0 || rows.flat().length > MAX_MEMBERS) return undefined;
  return { kind: 'matrix', text, determinant: environment === 'vmatrix', rows };
}

function readRatio(text: string, depth: number): MathAnswer | undefined {
  const parts = splitTopLevel(text.replace(/^(\d+) to (\d+)$/, '$1:$2'), COLON);
  if (parts.length < 2 || parts.length > MAX_MEMBERS) return undefined;
  return { kind: 'ratio', text, members: parts.map((part) => readSingle(part.text, depth + 1)) };
}

/** Reads a value, the two values of `1 \pm \sqrt{2}`, or words. */
function readSingle(text: string, depth: number): MathAnswer {
  if (/\\pm|\\mp/.test(text) && depth < DEEPEST_NESTING) {
    const upper = text.replace(/\\pm ?/g, '+').replace(/\\mp ?/g, '-');
    const lower = text.replace(/\\pm ?/g, '-').replace(/\\mp ?/g, '+');
    return { kind: 'list', text, members: [upper, lower].map((one) => readSingle(one, DEEPEST_NESTING)) };
  }
  const scalar = readScalar(text);
  return scalar ? { ...scalar, text } : { kind: 'words', text };
}
