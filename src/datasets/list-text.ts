import { parseJsonText } from './json-text.js';
import type { Cell, DatasetRow } from './row.js';

/** Source of the pattern of a text as Python prints it. */
const TEXT = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/.source;
/** Pattern of what Python prints otherwise than JSON: texts, the three names, tuples, and a comma before a bracket. */
const PYTHON = new RegExp(`${TEXT}|\\b(?:True|False|None|nan)\\b|\\(|(?:,\\s*)?[)\\]}]`, 'g');
/** Pattern of texts, and of what NumPy prints around a list (`array(…, dtype=object)`) and a value (`np.int64(1)`). */
const NUMPY = new RegExp(
  `${TEXT}|\\barray\\(|(\\])(?:,\\s*dtype=(?:\\w+|'[^']*'))?\\)|\\bnp\\.(?:(True|False)_|\\w+\\((${TEXT}|[^()'"]*)\\))`,
  'g',
);
/** Pattern of JSON's texts and marks, and of values between them; NumPy prints `1.` for 1.0. */
const JSON_TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[,:[\]{}]|[^\s",:[\]{}]+/g;
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
 * Parses the text of a list or an object, as JSON or as Python prints it (`['red', "it's"]`, `{'A': None}`), also in arrays
 * of NumPy (`['red' 'green']`, `array(['red'], dtype=object)`), which is what a column of lists becomes in CSV.
 * @returns undefined for any other text.
 */
export function parseListText(text: string): Cell[] | DatasetRow | undefined {
  // A bracket alone is rather a letter, `(A) red`, than a tuple.
  if (!/^\s*(?:[[{]|\(\s*['"])/.test(text)) return undefined;
  const python = (printed: string) => printed.replace(PYTHON, jsonOf);
  return (
    tried(() => text) ??
    tried(() => python(text)) ??
    tried(() => withCommas(python(text.replace(NUMPY, bare))))
  );
}

function bare(token: string, bracket?: string, name?: string, value?: string): string {
  return bracket ?? name ?? value ?? (token === 'array(' ? '' : token);
}

/** Puts a comma between two values that only a space divides. */
function withCommas(json: string): string {
  let before = ',';
  return json.replace(JSON_TOKENS, (token, position: number) => {
    const isDivided =
      /\s/.test(json.charAt(position - 1)) && !/[,:[{]$/.test(before) && !/^[,:\]}]/.test(token);
    before = token;
    return `${isDivided ? ',' : ''}${token.replace(/^(-?\d+)\.$/, '$1.0')}`;
  });
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
