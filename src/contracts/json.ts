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
