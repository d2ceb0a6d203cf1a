import { AsWritten } from '../contracts/as-written.js';
import { DatasetError } from './dataset-error.js';
import { parseListText } from './list-text.js';
import { type Cell, type DatasetRow, isRow } from './row.js';

/**
 * Returns the value at a path such as `metadata.ID`, `answers.text.0` or `messages.-1.content` (of the last one);
 * `undefined` where there is none, null for NaN.
 * In a list of objects, a field's name leads to the list of its values; the text of a list or an object, as in CSV, is
 * one. A literal key takes precedence at every level:
 * a column named `metadata.ID` is found before a column `metadata`.
 */
export function valueAt(row: DatasetRow, path: string): Cell | undefined {
  const cell = find(row, path);
  return isNotANumber(cell) ? null : cell;
}

function isNotANumber(cell: Cell | undefined): cell is AsWritten {
  return cell instanceof AsWritten && cell.value === null;
}

function find(value: Cell, path: string): Cell | undefined {
  const own = ownValue(value, path);
  if (own !== undefined) return own;
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const written = ownValue(value, path.slice(0, dot));
    const inner = typeof written === 'string' ? parseListText(written) : written;
    if (inner === undefined || inner === null) continue;
    const found = find(inner, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return Array.isArray(value) ? inEach(value, path) : undefined;
}

/** Returns the value at a path in each item of a list of objects; undefined where an item has no such field. */
function inEach(items: readonly Cell[], path: string): Cell | undefined {
  if (items.length === 0 || !items.every(isRow)) return undefined;
  const found = items.map((item) => find(item, path));
  return found.every((one) => one !== undefined) ? (found as Cell[]) : undefined;
}

function ownValue(value: Cell, key: string): Cell | undefined {
  if (Array.isArray(value)) return /^-?\d+$/.test(key) ? value.at(Number(key)) : undefined;
  return isRow(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Returns the value at a path that must exist (it may be `null`).
 * @param rowNumber counted from 1, for the message.
 * @throws DatasetError that names the config's field, the row and the fields it has.
 */
export function requiredValue(row: DatasetRow, path: string, field: string, rowNumber: number): Cell {
  const value = valueAt(row, path);
  if (value !== undefined) return value;
  throw new DatasetError(
    `row ${rowNumber} has no field '${path}' (${field}); its fields are: ${fieldNames(row)}`,
    field,
  );
}

const SHOWN_FIELDS = 40;

/** Lists the row's fields for a message; those of an object in it as dotted paths. */
export function fieldNames(row: DatasetRow): string {
  const names = Object.entries(row).flatMap(([key, value]) =>
    isRow(value) && Object.keys(value).length > 0
      ? Object.keys(value).map((inner) => `${key}.${inner}`)
      : [key],
  );
  if (names.length === 0) return 'none';
  const shown = names.slice(0, SHOWN_FIELDS).join(', ');
  return names.length > SHOWN_FIELDS ? `${shown} and ${names.length - SHOWN_FIELDS} more` : shown;
}

/** Returns a scalar's text as it was written; `undefined` for null, NaN, lists and objects. */
export function scalarText(value: Cell): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof AsWritten) return value.value === null ? undefined : value.text;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

const MARKS = new Set<unknown>([0, 1, true, false]);

/** Returns the number of `1.0`, as it is written for columns with gaps; other values unchanged. */
export const plainNumber = (cell: Cell | undefined) => (cell instanceof AsWritten ? cell.value : cell);

/** Reports whether a value says that a choice is right, or wrong. */
export const isMark = (cell: Cell | undefined) => MARKS.has(plainNumber(cell));

/** Describes the value at a path, for a message; NaN with its place. */
export function kindAt(row: DatasetRow, path: string): string {
  return typeOf(find(row, path) ?? null);
}

/** Describes a value's type for a message. */
export function typeOf(value: Cell): string {
  if (value === null) return 'null';
  if (value instanceof AsWritten) return isNotANumber(value) ? `${value.text} (${value.place})` : 'a number';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Names the way to leave out rows in which a field holds nothing. */
export const leftOut = (path: string) => `; dataset.select.not_empty: ${path} leaves such rows out`;

const MAX_LISTED = 10;

/** Lists texts of a dataset for a message: the first ones, each cut. */
export function listed(texts: readonly string[]): string {
  const cut = texts.slice(0, MAX_LISTED).map((text) => {
    const line = text.replace(/\s+/g, ' ');
    return line.length > 30 ? `${line.slice(0, 29)}…` : line;
  });
  return texts.length > MAX_LISTED
    ? `${cut.join(', ')} and ${texts.length - MAX_LISTED} more`
    : cut.join(', ');
}
