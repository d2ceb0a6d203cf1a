import { constants } from 'node:buffer';
import { quotable } from '../config/named-files.js';
import { jsonFault } from '../contracts/json.js';
import { readLines, readNumberedJsonLines } from '../storage/json-lines.js';
import { DatasetError } from './dataset-error.js';
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
      yield* rowsOf(whole.value, path, field);
      return;
    }
    if (value === undefined && text.startsWith('[')) throw whole.fault;
  }
  yield* rowsOfLines(path, field);
}

/**
 * Reads the rows of a JSON file: a list of objects, or an object in which exactly one field is such a list (`{"data":
 * [...]}`). The whole file is kept in memory. A file that is in fact JSON lines, as many with this name are, is read as
 * such.
 */
export async function* readJsonRows(path: string, field: string): AsyncGenerator<DatasetRow> {
  const whole = parsed(await textOf(path, field), path, field);
  if (!('fault' in whole)) yield* rowsOf(whole.value, path, field);
  else if (isRow((await firstLine(path, field)).value)) yield* rowsOfLines(path, field);
  else throw whole.fault;
}

async function* rowsOfLines(path: string, field: string): AsyncGenerator<DatasetRow> {
  const lines = readNumberedJsonLines(blocksOf(path, field), { name: path, parse: parseJsonText });
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

function* rowsOf(value: Cell, path: string, field: string): Generator<DatasetRow> {
  for (const [index, row] of rowsIn(value, path, field).entries()) {
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

function rowsIn(value: Cell, path: string, field: string): Cell[] {
  if (Array.isArray(value)) return value;
  if (isRow(value)) {
    const lists = Object.entries(value).filter(([, item]) => Array.isArray(item) && item.some(isRow));
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) return only[1] as Cell[];
    const found =
      lists.length === 0 ? 'none of its fields is' : `it has ${lists.map(([key]) => key).join(', ')}`;
    throw new DatasetError(
      `${path} (${field}) holds an object; exactly one of its fields must be a list of objects, but ${found} (fields: ${Object.keys(value).join(', ')})`,
      field,
    );
  }
  throw new DatasetError(`${path} (${field}) must hold a list of objects`, field);
}

function notAnObject(place: string, field: string): DatasetError {
  return new DatasetError(
    `${place} (${field}) is not an object, such as {"question": "…", "answer": "…"}`,
    field,
  );
}
