import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gunzip } from 'node:zlib';
import { isMapping, type Json } from '../contracts/json.js';
import type { CallRecord, ChatMessage } from '../contracts/language-model.js';
import type { KindView } from '../kinds/kind.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { chunked } from '../storage/byte-streams.js';
import { artifactKeys, rowIndexKey } from '../storage/paths.js';
import { readAhead } from '../storage/read-ahead.js';

/** Version of the index's form; another one is built anew. */
const FORMAT = 2;
/** Maximum characters of a question, an answer or a value of the metadata in the index. */
const LONGEST_TEXT = 120;
/** Maximum fields of the metadata in the index. */
const MAX_FIELDS = 12;
/** Bytes of a line that the unit of a call is read from; a line whose fields are in another order is read whole. */
const HEAD_BYTES = 2048;
/** Bytes that are compressed at a time. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes of an object: starts and lengths in turn. */
export type Spans = number[];

/** Row of an experiment's results as its table shows it. */
export interface IndexedRow {
  id: string;
  /** From 0. */
  trial: number;
  question: string;
  answer: string;
  /** Type of the error, `user_fault`, or null. */
  error: string | null;
  /** A token limit cut a reply off. */
  cut_off: boolean;
  /** Numbers by name; true and false are 1 and 0. */
  scores: Record<string, number>;
  metadata: Record<string, string>;
  /** null where a row does not say. */
  lm_calls: number | null;
  cost_usd: number | null;
  seconds: number | null;
  /** Start and length of the row in its file. */
  at: Spans;
}

/** What the viewer needs to show an experiment's rows without reading them all: `view/index.json.gz`. */
export interface RowIndex {
  format: typeof FORMAT;
  /** Bytes of each file that was read, by key: another length means that the index is out of date. */
  sources: Record<string, number>;
  /** Key of the file of rows. */
  rows_in: string;
  rows: IndexedRow[];
  /** Places of calls and executions by unit (see {@link unitKey}). */
  calls: Record<string, Spans>;
  executions: Record<string, Spans>;
  /** Place of each sample's memory in `memory.json`, with its id before it; null where samples share one. */
  memories: Record<string, Spans> | null;
}

/** Returns the key of a unit: a sample in a trial. */
export const unitKey = (id: string, trial: number) => `${trial}/${id}`;

/** A line of an object. */
interface Line {
  start: number;
  length: number;
  /** The line, or its first bytes. */
  text: string;
}

const NEWLINE = 10;

/** Reads lines with their places. @param keep maximum bytes of a line that are in memory */
async function* linesOf(store: ArtifactStore, key: string, keep: number): AsyncGenerator<Line> {
  const stream = await store.openRead(key);
  if (stream === null) return;
  let [position, start] = [0, 0];
  let pieces: Buffer[] = [];
  let kept = 0;
  const take = (piece: Buffer) => {
    if (kept >= keep || piece.length === 0) return;
    pieces.push(piece.subarray(0, keep - kept));
    kept += Math.min(piece.length, keep - kept);
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      const length = position + end - start;
      if (length > 0) yield { start, length, text: Buffer.concat(pieces).toString('utf8') };
      [pieces, kept, from] = [[], 0, end + 1];
      start = position + from;
    }
    take(chunk.subarray(from));
    position += chunk.length;
  }
  if (position > start)
    yield { start, length: position - start, text: Buffer.concat(pieces).toString('utf8') };
}

export function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function errorOf({ error, status }: Record<string, unknown>): string | null {
  if (isMapping(error)) return String(error.type ?? 'error');
  return status === 'user_fault' ? status : null;
}

/** Makes the cells of a row. */
export function indexedRow(row: Record<string, unknown>, view: KindView, at: Spans): IndexedRow {
  const { id, trial, question, answer, scores, metadata, seconds } = view.outcomeOf(row as never);
  const fields = Object.entries(metadata).slice(0, MAX_FIELDS);
  const error = errorOf(row);
  const message = isMapping(row.error) ? row.error.message : undefined;
  return {
    id,
    trial,
    question: short(question ?? ''),
    answer: short(answer ?? message ?? ''),
    error,
    cut_off: row.cut_off !== undefined && row.cut_off !== null && row.cut_off !== 0,
    scores: Object.fromEntries(Object.entries(scores ?? {}).map(([name, value]) => [name, Number(value)])),
    metadata: Object.fromEntries(fields.map(([name, value]) => [name, short(value as Json)])),
    lm_calls: numberIn(row.lm_calls),
    cost_usd: numberIn(row.cost_usd),
    seconds,
    at,
  };
}

const IDENTITY = /^\{"sample_id":("(?:[^"\\]|\\.)*"),"trial":(\d+),"purpose"/;

/** Adds the place of a line to its unit's. Lines that follow one another are one span. */
function addSpan(spans: Record<string, Spans>, key: string, { start, length }: Line): void {
  spans[key] ??= [];
  const of = spans[key];
  const [lastStart = -1, lastLength = 0] = of.slice(-2);
  if (lastStart >= 0 && lastStart + lastLength + 1 === start) of[of.length - 1] = start + length - lastStart;
  else of.push(start, length);
}

/** Finds the lines of each unit. @param unitOf returns the id and trial of a parsed line */
async function spansIn(
  store: ArtifactStore,
  key: string,
  view: KindView,
  whole: boolean,
): Promise<Record<string, Spans>> {
  // Ids are texts of a dataset, and one may be called as what every object has.
  const spans: Record<string, Spans> = Object.create(null);
  for await (const line of linesOf(store, key, whole ? Number.POSITIVE_INFINITY : HEAD_BYTES)) {
    const [, id, trial] = IDENTITY.exec(line.text) ?? [];
    const row =
      id !== undefined
        ? { sample_id: JSON.parse(id) as string, trial: Number(trial) }
        : await parsed(store, key, line);
    const unit = row.scaffold ?? row.sample_id;
    if (typeof unit === 'string')
      addSpan(spans, unitKey(view.unitOf?.(unit) ?? unit, Number(row.trial ?? 0)), line);
  }
  return spans;
}

/** Beginning of the memory of a sample, which may have several lines. */
const OF_SAMPLE = /^("(?:[^"\\]|\\.)*"):\{"_type":/;

async function memoriesIn(store: ArtifactStore): Promise<RowIndex['memories']> {
  let memories: RowIndex['memories'] = null;
  let spans: Spans = [];
  for await (const { start, length, text } of linesOf(store, artifactKeys.memory, HEAD_BYTES)) {
    if (memories === null) {
      if (!text.startsWith('{"_type":"per_sample"')) return null;
      memories = Object.create(null) as Record<string, Spans>;
      continue;
    }
    const [, id] = OF_SAMPLE.exec(text) ?? [];
    if (id !== undefined) {
      spans = [start, length];
      memories[JSON.parse(id) as string] = spans;
    } else if (text !== '}}') spans[1] = start + length - (spans[0] ?? 0);
  }
  return memories;
}

async function parsed(store: ArtifactStore, key: string, line: Line): Promise<Record<string, unknown>> {
  const bytes = line.length <= line.text.length ? null : await store.readRange(key, line.start, line.length);
  try {
    return JSON.parse(bytes === null ? line.text : Buffer.from(bytes).toString('utf8'));
  } catch {
    return {};
  }
}

/** Returns the sizes of the files that an index is made of. */
async function sizesOf(store: ArtifactStore, keys: readonly string[]): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  await Promise.all(
    keys.map(async (key) => {
      for await (const found of store.list(key)) if (found.key === key) sizes[key] = found.bytes;
    }),
  );
  return sizes;
}

const sourcesOf = ({ rowsIn = artifactKeys.results }: KindView) => [
  rowsIn,
  artifactKeys.calls,
  artifactKeys.executions,
  artifactKeys.memory,
];

/** Yields the rows of a finished experiment as its table shows them. One of the file is in memory at a time. */
async function* indexedRows(store: ArtifactStore, view: KindView): AsyncGenerator<IndexedRow> {
  const [rowsIn = ''] = sourcesOf(view);
  for await (const line of linesOf(store, rowsIn, Number.POSITIVE_INFINITY)) {
    const row = await parsed(store, rowsIn, line);
    if (Object.keys(row).length > 0) yield indexedRow(row, view, [line.start, line.length]);
  }
}

/** Finds what an index has beside its rows. */
async function placesIn(store: ArtifactStore, view: KindView): Promise<Omit<RowIndex, 'rows'>> {
  const [rowsIn = ''] = sourcesOf(view);
  return {
    format: FORMAT,
    sources: await sizesOf(store, sourcesOf(view)),
    rows_in: rowsIn,
    calls: await spansIn(store, artifactKeys.calls, view, false),
    executions: await spansIn(store, artifactKeys.executions, view, true),
    memories: await memoriesIn(store),
  };
}

/** Builds the index of a finished experiment in one pass over its files, of which one line is in memory at a time. */
export async function buildRowIndex(store: ArtifactStore, view: KindView): Promise<RowIndex> {
  const places = await placesIn(store, view);
  const rows: IndexedRow[] = [];
  for await (const row of indexedRows(store, view)) rows.push(row);
  return { ...places, rows };
}

/** Builds and writes the index of an experiment, whose rows are never all in memory. */
export async function writeRowIndex(store: ArtifactStore, view: KindView): Promise<void> {
  const { calls, executions, memories, ...places } = await placesIn(store, view);
  async function* json() {
    yield `${JSON.stringify(places).slice(0, -1)},"rows":[`;
    let separator = '';
    for await (const row of indexedRows(store, view)) {
      yield separator + JSON.stringify(row);
      separator = ',';
    }
    yield ']';
    for (const [name, value] of Object.entries({ calls, executions, memories }))
      yield `,"${name}":${JSON.stringify(value)}`;
    yield '}';
  }
  const blocks = chunked(json(), BLOCK_BYTES, () => {});
  // A failure is thrown by the stream as well.
  await store.writeStream(
    rowIndexKey(),
    pipeline(blocks, createGzip(), () => {}),
  );
}

/** Reads the index of an experiment; builds it where there is none, or its files are others than it was made of. */
export async function readRowIndex(store: ArtifactStore, view: KindView): Promise<RowIndex> {
  const [stored, sizes] = await Promise.all([store.read(rowIndexKey()), sizesOf(store, sourcesOf(view))]);
  if (stored !== null) {
    try {
      const index = JSON.parse((await promisify(gunzip)(stored)).toString('utf8')) as RowIndex;
      const isCurrent = Object.entries(sizes).every(([key, bytes]) => index.sources[key] === bytes);
      if (index.format === FORMAT && isCurrent) return index;
    } catch {
      // An index that cannot be read is built anew.
    }
  }
  return buildRowIndex(store, view);
}

/** Bytes that are read at once: a long conversation comes in several requests that run beside one another. */
const PIECE_BYTES = 1 << 20;

/** Reads the lines of an object at some places, one in memory at a time. */
async function* linesAt(store: ArtifactStore, key: string, spans: Spans): AsyncGenerator<Buffer> {
  function* pieces() {
    for (let at = 0; at < spans.length; at += 2) {
      const [start = 0, length = 0] = spans.slice(at, at + 2);
      for (let from = 0; from < length; from += PIECE_BYTES)
        yield {
          start: start + from,
          length: Math.min(PIECE_BYTES, length - from),
          isLast: from + PIECE_BYTES >= length,
        };
    }
  }
  let line: Buffer[] = [];
  const read = readAhead(pieces(), async ({ start, length, isLast }) => ({
    isLast,
    bytes: await store.readRange(key, start, length),
  }));
  for await (const { bytes, isLast } of read) {
    const piece =
      bytes === null ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...line, piece.subarray(from, end)]);
      [line, from] = [[], end + 1];
    }
    line.push(piece.subarray(from));
    if (!isLast) continue;
    yield Buffer.concat(line);
    line = [];
  }
}

function valueIn<Value>(text: string): Value | null {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return null;
  }
}

/** Reads the values of an object's lines at some places. Lines that are no JSON are left out. */
export async function valuesAt<Value>(store: ArtifactStore, key: string, spans: Spans): Promise<Value[]> {
  const values: Value[] = [];
  for await (const line of linesAt(store, key, spans)) {
    const value = valueIn<Value>(line.toString('utf8'));
    if (value !== null) values.push(value);
  }
  return values;
}

const MESSAGES = '"messages":[';
/** Between two messages; no text has it, whose quotes are escaped. */
const NEXT_MESSAGE = '},{"role":"';

/** Reads the memory of a sample. */
export async function memoryAt(store: ArtifactStore, id: string, spans: Spans): Promise<unknown> {
  const [start, length] = spans;
  if (start === undefined || length === undefined) return null;
  const bytes = await store.readRange(artifactKeys.memory, start, length);
  const text = Buffer.from(bytes ?? []).toString('utf8');
  return valueIn(text.slice(JSON.stringify(id).length + 1).replace(/,$/, ''));
}

/** Messages of a conversation's line, which the next one repeats. */
interface Before {
  messages: ChatMessage[];
  /** Their bytes, from the first one to the start of the last one. */
  bytes: Buffer;
}

/** Returns the beginning of a call's line with its purpose, whose calls have one conversation; else null. */
function purposeOf(line: Buffer): string | null {
  const [head] = IDENTITY.exec(line.toString('utf8', 0, HEAD_BYTES)) ?? [];
  return head === undefined ? null : line.toString('utf8', 0, line.indexOf(',', Buffer.byteLength(head)));
}

/** Counts the messages that begin behind a place of a line, and finds the last one. */
function messagesFrom(line: Buffer, place: number): { count: number; last: number } {
  let [count, last] = [0, -1];
  for (let at = line.indexOf(NEXT_MESSAGE, place); at >= 0; at = line.indexOf(NEXT_MESSAGE, at + 1))
    [count, last] = [count + 1, at + 2];
  return { count, last };
}

/**
 * Reads the calls of a unit. Each has all the messages before it, so that a long conversation is many times as long in
 * its file as it is: messages that the line before has as well are neither parsed nor kept again.
 */
export async function callsAt(store: ArtifactStore, spans: Spans): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  const before = new Map<string, Before>();
  for await (const line of linesAt(store, artifactKeys.calls, spans)) {
    const purpose = purposeOf(line);
    const place = line.indexOf(MESSAGES);
    if (purpose === null || place < 0) {
      const call = valueIn<CallRecord>(line.toString('utf8'));
      if (call !== null) calls.push(call);
      continue;
    }
    const from = place + MESSAGES.length;
    const { messages, bytes } = before.get(purpose) ?? { messages: [], bytes: line.subarray(0, 0) };
    const isLonger = bytes.length > 0 && bytes.equals(line.subarray(from, from + bytes.length));
    const to = isLonger ? from + bytes.length : from;
    const call = valueIn<CallRecord>(line.toString('utf8', 0, from) + line.toString('utf8', to));
    if (call === null) continue;
    if (isLonger) call.messages = [...messages.slice(0, -1), ...call.messages];
    calls.push(call);
    const { count, last } = messagesFrom(line, to);
    if (count === 0) continue;
    // Where a parameter looks like a message, the line is no measure for the next one.
    const isPlain = call.messages.length === (isLonger ? messages.length : 1) + count;
    before.set(purpose, { messages: call.messages, bytes: line.subarray(from, isPlain ? last : from) });
  }
  return calls;
}
