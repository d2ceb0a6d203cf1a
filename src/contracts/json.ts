/** Value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Plain JSON object. */
export type JsonObject = { [key: string]: Json };

/** Describes an error of `JSON.parse`, without quoting the text. */
export function jsonFault(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, position] = /JSON at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return `something is wrong at character ${Number(position) + 1}`;
  return message.includes('end of JSON input') ? 'it ends too early' : 'a character stands where none may';
}

/** Reports whether a parsed value is a mapping from names to values: neither a list nor null. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports whether a text is a whole number that a JavaScript number would round to another one. */
export function isRounded(text: string): boolean {
  const number = Number(text);
  if (!/^-?\d+$/.test(text) || Number.isSafeInteger(number)) return false;
  return !Number.isFinite(number) || BigInt(number) !== BigInt(text);
}

/** Strings, matched first so that their digits stay, and numbers. */
const STRINGS_AND_NUMBERS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses like `JSON.parse`, except that a whole number which would be rounded is its text: it is an id, and a rounded
 * one is another. @param mark stands before and after such a text. @throws SyntaxError
 */
export function parseExactJson(text: string, mark = ''): unknown {
  const value: unknown = JSON.parse(text);
  const exact = text.replace(STRINGS_AND_NUMBERS, (token) =>
    isRounded(token) ? `"${mark}${token}${mark}"` : token,
  );
  return exact === text ? value : JSON.parse(exact);
}
