import { AsWritten } from '../contracts/as-written.js';
import type { Json } from '../contracts/json.js';
import { type Cell, plainJson } from './row.js';
import { numberAsWritten } from './written-numbers.js';

/** Pattern of strings, matched first so that their numbers stay, and of numbers; an unclosed string ends the text. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?Infinity\b|NaN\b|-?\d[\d.eE+-]*/g;
const STRINGS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NOT_FINITE = /^-?(?:Infinity|NaN)$/;
/** Key under which a number's text and place pass through `JSON.parse`. */
const WRITTEN = '\u0000as written';
const BEFORE = `{${JSON.stringify(WRITTEN)}:["`;

/**
 * Parses like `JSON.parse`, except that numbers stay as they are written, and that NaN and the infinities, which
 * Python's `json.dumps` writes, are read as {@link AsWritten} null.
 * @param line number of the text's first line in its file
 * @throws SyntaxError as `JSON.parse` does, with a hint at common mistakes.
 */
export function parseJsonText(text: string, line = 1): Cell {
  let isPlain = true;
  const placeOf = placesIn(text, line);
  const marked = text.replace(TOKENS, (token, position: number) => {
    if (token.startsWith('"')) return token;
    const isNumber = NUMBER.test(token);
    if (isNumber ? typeof numberAsWritten(token) === 'number' : !NOT_FINITE.test(token)) return token;
    isPlain = false;
    return isNumber ? `${BEFORE}${token}"]}` : `${BEFORE}${token}","${placeOf(position)}"]}`;
  });
  try {
    return JSON.parse(marked, isPlain ? undefined : revive) as Cell;
  } catch (error) {
    if (error instanceof SyntaxError) throw faultOf(text, error);
    throw error;
  }
}

/** Parses JSON for calculations: `1.10` is 1.1, NaN is null, and a whole number beyond 2^53 is its text. */
export function parsePlainJson(text: string, line = 1): Json {
  return plainJson(parseJsonText(text, line));
}

function revive(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(WRITTEN in value)) return value;
  const [text = '', place] = [value[WRITTEN]].flat() as string[];
  return place === undefined ? numberAsWritten(text) : new AsWritten(text, null, place);
}

/** Returns a function from ascending positions to line and column. */
function placesIn(text: string, firstLine: number): (position: number) => string {
  let line = firstLine;
  let start = 0;
  return (position) => {
    for (let end = text.indexOf('\n', start); end >= 0 && end < position; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
    return `line ${line}, column ${position - start + 1}`;
  };
}

/** Describes a syntax error, with its place in the text and the most likely mistake. */
function faultOf(text: string, failure: SyntaxError): SyntaxError {
  let { message } = failure;
  try {
    JSON.parse(text.replace(TOKENS, (token) => (NOT_FINITE.test(token) ? '0'.padEnd(token.length) : token)));
  } catch (error) {
    message = (error as Error).message;
  }
  const [, position] = /JSON at position (\d+)$/.exec(message) ?? [];
  const place = position !== undefined && text.includes('\n') ? placesIn(text, 1)(Number(position)) : null;
  const notes = [place, hintOf(text)].filter((note) => note !== null);
  return new SyntaxError(notes.length === 0 ? message : `${message} (${notes.join('; ')})`, {
    cause: failure,
  });
}

function hintOf(text: string): string | null {
  const bare = text.replace(STRINGS, '""');
  if (/,\s*[}\]]/.test(bare)) return 'a comma stands before a closing bracket';
  if (/[}\]]\s*,\s*$/.test(bare)) return 'a comma follows it, which JSON lines have none of';
  if (/[{[,:]\s*(?:'|None\b|True\b|False\b)/.test(bare))
    return 'this is how Python prints a dict; json.dumps(row) writes JSON';
  return null;
}
