import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { quotable } from '../config/named-files.js';
import { type Json, jsonFault } from '../contracts/json.js';
import { readLines, readNumberedJsonLines } from '../storage/json-lines.js';
import { DatasetError } from './dataset-error.js';
import { isRow, parseJson, type Row } from './row.js';

const BLOCK_BYTES = 256 * 1024;

function blocksOf(path: string) {
  return createReadStream(path, { highWaterMark: BLOCK_BYTES });
}

/** Rows of a JSON lines file, streamed. */
export async function* readJsonLinesRows(path: string, field: string): AsyncGenerator<Row> {
  for await (const { line, value } of readNumberedJsonLines(blocksOf(path), {
    name: path,
    parse: parseJson,
  })) {
    if (!isRow(value)) throw notAnObject(`line ${line} of ${path}`, field);
    yield value;
  }
}

/**
 * Rows of a JSON file: a list of objects, or an object in which exactly one field is such a list (`{"data": [...]}`).
 * The file is held in memory. One that is JSON lines in truth, as many with this name are, is read as such.
 */
export async function* readJsonRows(path: string, field: string): AsyncGenerator<Row> {
  let value: Json;
  try {
    value = parseJson((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG';
    if (!(error instanceof SyntaxError) && !tooLarge) throw error;
    if (await startsAsJsonLines(path)) yield* readJsonLinesRows(path, field);
    else throw new DatasetError(faultOf(path, field, tooLarge, error), field, { cause: error });
    return;
  }
  for (const [index, row] of rowsIn(value, path, field).entries()) {
    if (!isRow(row)) throw notAnObject(`item ${index + 1} of ${path}`, field);
    yield row;
  }
}

async function startsAsJsonLines(path: string): Promise<boolean> {
  for await (const { text } of readLines(blocksOf(path), path)) {
    if (text.trim() === '') continue;
    try {
      return isRow(parseJson(text));
    } catch {
      return false;
    }
  }
  return false;
}

function faultOf(path: string, field: string, tooLarge: boolean, error: unknown): string {
  return tooLarge
    ? `${path} (${field}) is too large to be read as one JSON text; write it as .jsonl, an object a line`
    : `${path} (${field}) is no JSON: ${quotable((error as Error).message, jsonFault(error))}`;
}

function rowsIn(value: Json, path: string, field: string): Json[] {
  if (Array.isArray(value)) return value;
  if (isRow(value)) {
    const lists = Object.entries(value).filter(([, item]) => Array.isArray(item) && item.some(isRow));
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) return only[1] as Json[];
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

/** Rows of a CSV or TSV file with a header line, streamed. Every value is text. */
export async function* readDelimitedRows(
  path: string,
  delimiter: ',' | '\t',
  field: string,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    columns: (header: string[]) => columnNames(header, path, field),
    skip_empty_lines: true,
    // In tab-separated files a quote inside a value usually stands for itself.
    relax_quotes: delimiter === '\t',
  });
  // The last stream's errors, and those of the streams before it, come out of the iteration.
  const records = pipeline(
    blocksOf(path),
    (blocks) => strictText(blocks, path, field),
    parser,
    () => {},
  );
  for await (const row of records) yield row as Row;
}

/** Decoded strictly, so that a file in another encoding is named instead of silently garbled. */
async function* strictText(blocks: AsyncIterable<Uint8Array>, path: string, field: string) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const block of blocks) yield decoder.decode(block, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DatasetError(`${path} (${field}) is not UTF-8: save it in that encoding`, field, {
      cause: error,
    });
  }
}

/** Checks a header; a nameless column, as pandas writes for its index, gets the name pandas would give it. */
function columnNames(header: string[], path: string, field: string): string[] {
  const names = header.map((name, index) => (name.trim() === '' ? `Unnamed: ${index}` : name.trim()));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new DatasetError(`the header of ${path} (${field}) names the column '${repeated}' twice`, field);
  }
  return names;
}
