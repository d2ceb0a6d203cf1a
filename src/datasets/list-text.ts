import { parseJsonText } from './json-text.js';
import type { Cell, DatasetRow } from './row.js';

/** Pattern of what Python prints otherwise than JSON: texts, the three names, tuples, and a comma before a bracket. */
const PYTHON =
  /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\b(?:True|False|None|nan)\b|\(|(?:,\s*)?[)\]}]/g;
const NAMES: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null', nan: 'NaN' };
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;
const ESCAPED: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Parses the text of a list or an object, as JSON or as Python prints it (`['red', "it's"]`, `{'A': None}`), which is what
 * a column of lists becomes in CSV.
 * @returns undefined for any other text.
 */
export function parseListText(text: string): Cell[] | DatasetRow | undefined {
  // A bracket alone is rather a letter, `(A) red`, than a tuple.
  if (!/^\s*(?:[[{]|\(\s*['"])/.test(text)) return undefined;
  return tried(() => text) ?? tried(() => text.replace(PYTHON, jsonOf));
}

function tried(json: () => string): Cell[] | DatasetRow | undefined {
  try {
    return parseJsonText(json()) as Cell[] | DatasetRow;
  } catch {
    return undefined;
  }
}

function jsonOf(token: string): string {
  const last = token.slice(-1);
  if (token === '(') return '[';
  if (last === ')') return ']';
  if (/['"]/.test(last)) return JSON.stringify(unescaped(token.slice(1, -1)));
  return NAMES[token] ?? last;
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (whole, x, u, U, octal, one) => {
    const code = x ?? u ?? U ?? null;
    if (code !== null) return String.fromCodePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    return ESCAPED[one] ?? whole;
  });
}
