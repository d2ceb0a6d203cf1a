import { quotable } from '../config/named-files.js';
import { type Json, jsonFault } from '../contracts/json.js';
import { toWellFormedJson } from '../contracts/well-formed.js';

const WRITE_BLOCK_CHARACTERS = 64 * 1024;

/** A line that is not JSON or not UTF-8. */
export class JsonLinesError extends Error {
  override readonly name = 'JsonLinesError';
  /** Counted from 1, with blank lines included. */
  readonly line: number;

  constructor(message: string, line: number, cause: unknown) {
    super(message, { cause });
    this.line = line;
  }
}

export interface TextLine {
  /** Counted from 1. */
  number: number;
  text: string;
}

export interface ReadJsonLinesOptions<Value> {
  /** Name of the source, for messages. */
  name?: string;
  /** Replacement for `JSON.parse`. */
  parse?: (text: string, line: number) => Value;
}

/**
 * Splits a stream of UTF-8 into lines; `\r` before a line end and a byte order mark at the start are dropped. Memory
 * holds one line and one chunk at a time. (Node's `readline` also splits at U+2028, which JSON allows inside a string.)
 * @throws JsonLinesError for bytes that are not UTF-8.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array | string>,
  name = 'the file',
): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pieces: string[] = [];
  let number = 0;
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new JsonLinesError(
        `${name} is not UTF-8, at line ${number + 1} or soon after`,
        number + 1,
        error,
      );
    }
  };
  const finishLine = (): TextLine => {
    const text = pieces.length === 1 ? (pieces[0] as string) : pieces.join('');
    pieces = [];
    number += 1;
    return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  };
  for await (const chunk of source) {
    const text = decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      pieces.push(text.slice(start, end));
      start = end + 1;
      yield finishLine();
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
  const rest = decode();
  if (rest !== '') pieces.push(rest);
  if (pieces.length > 0) yield finishLine();
}

/**
 * Reads JSON lines: one value in each line, blank lines skipped, the last newline optional.
 * @throws JsonLinesError that names the file and the line.
 */
export async function* readJsonLines<Value = Json>(
  source: AsyncIterable<Uint8Array | string>,
  options: ReadJsonLinesOptions<Value> = {},
): AsyncGenerator<Value> {
  for await (const { value } of readNumberedJsonLines(source, options)) yield value;
}

/** Reads JSON lines like {@link readJsonLines}, with the line number of each value. */
export async function* readNumberedJsonLines<Value = Json>(
  source: AsyncIterable<Uint8Array | string>,
  options: ReadJsonLinesOptions<Value> = {},
): AsyncGenerator<{ line: number; value: Value }> {
  const parse = options.parse ?? ((text: string) => JSON.parse(text) as Value);
  const name = options.name ?? 'the file';
  for await (const { number, text } of readLines(source, name)) {
    if (text.trim() === '') continue;
    let value: Value;
    try {
      value = parse(text, number);
    } catch (error) {
      const reason = quotable(error instanceof Error ? error.message : String(error), jsonFault(error));
      throw new JsonLinesError(`line ${number} of ${name} is no JSON: ${reason}`, number, error);
    }
    yield { line: number, value };
  }
}

/** Formats a value as a line. `JSON.stringify` leaves no raw newline in it. */
export function jsonLine(value: unknown): string {
  const text = toWellFormedJson(value);
  if (text === undefined) throw new TypeError('a line needs a value that JSON can hold');
  return `${text}\n`;
}

/** Formats values as JSON lines in blocks of about 64 Ki characters, for `ArtifactStore.writeStream`. */
export async function* jsonLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let block = '';
  for await (const value of values) {
    block += jsonLine(value);
    if (block.length < WRITE_BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

/** Formats a value as indented JSON. */
export function readableJson(value: unknown): string {
  return `${toWellFormedJson(value, 2)}\n`;
}
