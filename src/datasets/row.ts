import { AsWritten } from '../contracts/as-written.js';
import type { Json } from '../contracts/json.js';

/** One row of a dataset as it was read: a plain object, whatever the file's format. */
export type DatasetRow = { [name: string]: Cell };

/** A value in a row: JSON, except for numbers whose text has more information. */
export type Cell = string | number | boolean | null | AsWritten | Cell[] | DatasetRow;

/** Converts a value of a row for calculations: `1.10` is 1.1, and NaN is null. */
export function plainJson(cell: Cell): Json {
  if (typeof cell !== 'object' || cell === null) return cell;
  if (cell instanceof AsWritten) return cell.value;
  if (Array.isArray(cell)) return cell.map(plainJson);
  return Object.fromEntries(Object.entries(cell).map(([name, value]) => [name, plainJson(value)]));
}

/** Converts a value of a row to JSON text, with its numbers as they are written. */
export function jsonText(cell: Cell): string {
  if (cell instanceof AsWritten) return cell.value === null ? 'null' : cell.text;
  if (Array.isArray(cell)) return `[${cell.map(jsonText).join(',')}]`;
  if (!isRow(cell)) return JSON.stringify(cell);
  const fields = Object.entries(cell).map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`);
  return `{${fields.join(',')}}`;
}

/** True if a value is an object rather than a list or a scalar. */
export function isRow(value: unknown): value is DatasetRow {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof AsWritten)
  );
}

/** Treatment of bytes in columns that are not marked as text. */
export type BytesPolicy = 'base64' | 'text-if-utf8';

/**
 * Converts a reader's value to plain JSON: integers beyond 2^53 become decimal text, dates ISO 8601 text, NaN and the
 * infinities `null`, bytes base64 text, typed arrays and other iterables lists.
 * @param bytes how to convert bytes; some parquet writers do not mark their text as text.
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

/** Converts an integer to a number where that is exact, else to text. */
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

function objectOf(entries: Iterable<[unknown, unknown]>, bytes: BytesPolicy): { [name: string]: Json } {
  // fromEntries defines its keys, so that the key `__proto__` stays data.
  return Object.fromEntries(Array.from(entries, ([key, item]) => [String(key), toJson(item, bytes)]));
}

function bytesToJson(value: Uint8Array, policy: BytesPolicy): string {
  if (policy === 'text-if-utf8') {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
    } catch {
      // The bytes are not text.
    }
  }
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}
