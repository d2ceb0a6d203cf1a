import type { Json, JsonObject } from '../contracts/json.js';

/** One row of a dataset as it was read: a plain JSON object, whatever the file's format. */
export type Row = JsonObject;

/** Bytes of a column that is not said to be text. */
export type BytesPolicy = 'base64' | 'text-if-utf8';

/**
 * A value of a reader as plain JSON: integers beyond 2^53 become decimal text, dates ISO 8601 text, NaN and the
 * infinities `null`, bytes base64 text, typed arrays and other iterables lists.
 * @param bytes what to do with bytes; some parquet writers do not mark their text as text.
 */
export function toJson(value: unknown, bytes: BytesPolicy = 'base64'): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return bigintToJson(value);
    case 'object':
      return value === null ? null : objectToJson(value, bytes);
    default:
      return null;
  }
}

/** An integer as a number where that is exact, else as text. */
export function bigintToJson(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function objectToJson(value: object, bytes: BytesPolicy): Json {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToJson(value, bytes);
  if (value instanceof Map) return objectOf(value.entries(), bytes);
  if (Array.isArray(value)) return value.map((item) => toJson(item, bytes));
  if (Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>, (item) => toJson(item, bytes));
  }
  return objectOf(Object.entries(value), bytes);
}

function objectOf(entries: Iterable<[unknown, unknown]>, bytes: BytesPolicy): JsonObject {
  // fromEntries defines its keys, so that one named __proto__ stays data.
  return Object.fromEntries(Array.from(entries, ([key, item]) => [String(key), toJson(item, bytes)]));
}

function bytesToJson(value: Uint8Array, policy: BytesPolicy): string {
  if (policy === 'text-if-utf8') {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
    } catch {
      // Not text after all.
    }
  }
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

/** Whether a value is a JSON object rather than a list or a scalar. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONG_DIGITS = /\d{16}/;
// A string, or a whole number token: strings are matched first, so that digits inside them are left alone.
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** `JSON.parse`, except that an integer beyond 2^53 becomes text instead of another integer (a 19-digit id, for example). */
export function parseJson(text: string): Json {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as Json;
  const quoted = text.replace(STRING_OR_NUMBER, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return JSON.parse(quoted) as Json;
}
