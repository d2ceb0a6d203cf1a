import { constants } from 'node:buffer';
import { quotable } from '../config/named-files.js';
import { jsonFault } from '../contracts/json.js';
import { readLines, readNumberedJsonLines } from '../storage/json-lines.js';
import { DatasetError } from './dataset-error.js';
import { listed } from './fields.js';
import { parseJsonText } from './json-text.js';
import { type Cell, type DatasetRow, isRow } from './row.js';
import { blocksOf, strictText } from './text-blocks.js';

/**
 * Reads the rows of a JSON lines file, streamed. A file that is in fact a single JSON text, over several lines or a
 * list, is read as such.
 */
export async function* readJsonLinesRows(path: string, field: string): AsyncGenerator<DatasetRow> {
  const { text, value } = await firstLine(path, field);
  if (!isRow(value) && /^[[{]/.test(text)) {
    const whole = parsed(await textOf(path, field), path, field);
    if (!('fault' in whole)) {
      yield* rowsOf(whole.value, path, field, null);
      return;
    }
    if (value === undefined && text.startsWith('[')) throw whole.fault;
  }
  yield* rowsOfLines(path, field);
}

/**
 * Reads the rows of a JSON file: a list of objects, an object in which exactly one field is such a list (`{"data":
 * [...]}`), or is named as the split, or an object of columns, lists of the same length. The whole file is kept in memory.
 * A file that is in fact JSON lines, as many with this name are, is read as such.
 */
export async function* readJsonRows(
  path: string,
  field: string,
  split: string | null,
): AsyncGenerator<DatasetRow> {
  const whole = parsed(await textOf(path, field), path, field);
  if (!('fault' in whole)) yield* rowsOf(whole.value, path, field, split);
  else if (!isRow((await firstLine(path, field)).value)) throw whole.fault;
  else if (split !== null) throw withoutSplits(path);
  else yield* rowsOfLines(path, field);
}

/** Builds the error for a split of a file that has none. */
export function withoutSplits(path: string): DatasetError {
  return new DatasetError(
    `dataset.split: ${path} has no splits; leave it out, or name the file of the split in dataset.dataset_path`,
    'dataset.split',
  );
}

async function* rowsOfLines(path: string, field: string): AsyncGenerator<DatasetRow> {
  // Where files were joined, the byte order mark of each is left.
  const parse = (text: string, line: number) => parseJsonText(text.replace(/^\ufeff/, ''), line);
  const lines = readNumberedJsonLines(blocksOf(path, field), { name: path, parse });
  for await (const { line, value } of lines) {
    if (!isRow(value)) throw notAnObject(`line ${line} of ${path}`, field);
    yield value;
  }
}

/** Parses a file's text as JSON, or returns the error. */
function parsed(text: string | null, path: string, field: string): { value: Cell } | { fault: DatasetError } {
  const fault = (what: string, cause?: unknown) => ({
    fault: new DatasetError(`${path} (${field}) ${what}`, field, { cause }),
  });
  if (text === null)
    return fault('is too large to be read as one JSON text; write it as .jsonl, an object a line');
  try {
    return { value: parseJsonText(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fault(`is no JSON: ${quotable(error.message, jsonFault(error))}`, error);
  }
}

function* rowsOf(value: Cell, path: string, field: string, split: string | null): Generator<DatasetRow> {
  for (const [index, row] of rowsIn(value, path, field, split).entries()) {
    if (!isRow(row)) throw notAnObject(`item ${index + 1} of ${path}`, field);
    yield row;
  }
}

/** Returns a file's text; null where it is longer than a string can be. */
async function textOf(path: string, field: string): Promise<string | null> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of strictText(blocksOf(path, field), path, field)) {
    length += piece.length;
    if (length > constants.MAX_STRING_LENGTH) return null;
    pieces.push(piece);
  }
  return pieces.join('');
}

/** Reads the first line that is not blank, and its value; undefined where that is not JSON. */
async function firstLine(path: string, field: string): Promise<{ text: string; value: Cell | undefined }> {
  for await (const { text } of readLines(blocksOf(path, field), path)) {
    if (text.trim() === '') continue;
    try {
      return { text: text.trim(), value: parseJsonText(text) };
    } catch {
      return { text: text.trim(), value: undefined };
    }
  }
  return { text: '', value: undefined };
}

function rowsIn(value: Cell, path: string, field: string, split: string | null): Cell[] {
  if (isRow(value)) {
    if (split !== null && Object.hasOwn(value, split)) return rowsIn(value[split] as Cell, path, field, null);
    const lists = Object.entries(value).filter(([, item]) => Array.isArray(item) && item.some(isRow));
    const names = listed(lists.map(([name]) => name));
    if (split !== null && lists.length > 0) {
      throw new DatasetError(
        `${path} has no split '${split}' (dataset.split); there are: ${names}`,
        'dataset.split',
      );
    }
    if (split !== null) throw withoutSplits(path);
    const rows = rowsOfColumns(value);
    if (rows !== null) return rows;
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) return only[1] as Cell[];
    const fields = `(fields: ${listed(Object.keys(value))})`;
    if (lists.length > 1) {
      throw new DatasetError(
        `${path} (${field}) holds an object; exactly one of its fields must be a list of objects, but it has ${names} ${fields}; where these are splits, dataset.split names one`,
        field,
      );
    }
    throw new DatasetError(
      `${path} (${field}) holds an object; exactly one of its fields must be a list of objects, but none of its fields is ${fields}; write a list of the rows, which pandas does with orient='records'`,
      field,
    );
  }
  if (split !== null) throw withoutSplits(path);
  if (Array.isArray(value)) return value;
  throw new DatasetError(`${path} (${field}) must hold a list of objects`, field);
}

/** Returns the rows of an object whose fields are columns, as `Dataset.to_dict()` has them; null for any other. */
function rowsOfColumns(table: DatasetRow): DatasetRow[] | null {
  const names = Object.keys(table);
  const columns = Object.values(table).filter(Array.isArray);
  const [first = []] = columns;
  const isTable =
    names.length > 1 &&
    first.length > 1 &&
    columns.length === names.length &&
    columns.every(({ length }) => length === first.length) &&
    // Splits of the same size are lists of rows each.
    !columns.every((column) => column.every(isRow));
  if (!isTable) return null;
  return first.map((_, index) =>
    Object.fromEntries(names.map((name, column) => [name, columns[column]?.[index] as Cell])),
  );
}

function notAnObject(place: string, field: string): DatasetError {
  return new DatasetError(
    `${place} (${field}) is not an object, such as {"question": "…", "answer": "…"}`,
    field,
  );
}
