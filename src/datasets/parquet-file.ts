import { type FileHandle, open } from 'node:fs/promises';
import type { AsyncBuffer, Compressors, FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { type Cell, type DatasetRow, toJson } from './row.js';
import { decimalAsWritten, momentAsWritten, singleAsWritten } from './written-numbers.js';

/**
 * Maximum size of a slice of a row group, in bytes before compression. pandas puts up to a million rows into one group;
 * a large group is therefore decompressed in slices. A slice skips the pages before it, but those of nested columns
 * only after decompressing them, hence the limit on the number of slices.
 */
const SLICE_BYTES = 32 * 1024 * 1024;
const MAXIMUM_SLICES = 12;

const parsers = {
  /** Returns a day without the time that a Date would add. */
  dateFromDays: (days: number) =>
    days === undefined ? days : new Date(days * 86_400_000).toISOString().slice(0, 10),
  /** Keeps all digits, which a Date would cut to milliseconds. */
  timestampFromMicroseconds: (moment: bigint) => momentAsWritten(moment, 'microseconds'),
  timestampFromNanoseconds: (moment: bigint) => momentAsWritten(moment, 'nanoseconds'),
};

/** Wraps decompressors so that empty data, such as the values of a page of nulls, bypasses them: LZ4 fails on it. */
function sparingEmpty(compressors: Compressors): Compressors {
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, unpack]) => [
      codec,
      (bytes: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : unpack(bytes, length)),
    ]),
  );
}

type Convert = (value: unknown) => Cell;

function isDecimal({ converted_type, logical_type }: SchemaElement): boolean {
  return converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL';
}

/** Copies metadata so that hyparquet reads decimals as raw digits; by itself it rounds them to numbers. */
function withRawDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (!isDecimal(element)) return element;
    const { converted_type: _, logical_type: __, ...raw } = element;
    return raw;
  });
  return { ...metadata, schema };
}

/** Builds the converter of hyparquet's rows from their schema. */
function columnConverters({ children }: SchemaTree): Convert {
  const columns = structure(children);
  return (row) => columns(row);
}

function structure(children: readonly SchemaTree[]): Convert {
  const byName = new Map(children.map((child) => [child.element.name, converterFor(child)]));
  return (value) =>
    Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => [name, (byName.get(name) ?? other)(inner)]),
    );
}

function converterFor(node: SchemaTree): Convert {
  const convert = valueConverter(node);
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function valueConverter(node: SchemaTree): Convert {
  const { element, children } = node;
  if (children.length === 0) return each(leafConverter(element));
  if (!leavesOf(node).some(isExact)) return other;
  const [inner] = children;
  if (element.converted_type === 'LIST' && inner !== undefined) {
    const [item] = inner.children;
    return each(converterFor(inner.children.length === 1 && item !== undefined ? item : inner));
  }
  if (element.converted_type === 'MAP' && inner?.children.length === 2) {
    const item = converterFor(inner.children[1] as SchemaTree);
    return (value) =>
      Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, item(one)]));
  }
  return each(structure(children));
}

/** Converts a value or a list of values: a repeated field need not be marked as a list. */
function each(convert: Convert): Convert {
  return (value) =>
    Array.isArray(value) ? value.map((item) => (item == null ? null : convert(item))) : convert(value);
}

function leavesOf({ element, children }: SchemaTree): SchemaElement[] {
  return children.length === 0 ? [element] : children.flatMap(leavesOf);
}

/** Reports whether a number needs more than JavaScript's own conversion. */
function isExact(element: SchemaElement): boolean {
  return isDecimal(element) || element.type === 'FLOAT';
}

function leafConverter(element: SchemaElement): Convert {
  if (isDecimal(element)) {
    const scale = element.scale ?? 0;
    return (value) => decimalAsWritten(wholeNumber(value), scale);
  }
  if (element.type === 'FLOAT') return (value) => toJson(singleAsWritten(value as number));
  return other;
}

/** Reads the digits of a decimal: a number, or big-endian bytes in two's complement. */
function wholeNumber(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

/** Converts other values. Some writers store text as unmarked bytes. */
function other(value: unknown): Cell {
  return toJson(value, 'text-if-utf8');
}

/** Reads the rows of a parquet file. Holds one compressed row group and the rows of one slice of it. */
export async function* readParquetRows(path: string): AsyncGenerator<DatasetRow> {
  const [{ parquetMetadataAsync, parquetReadObjects, parquetSchema }, packed] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ]);
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const written = await parquetMetadataAsync(fileBuffer(handle, size));
    const convert = columnConverters(parquetSchema(written));
    const metadata = withRawDecimals(written);
    const compressors = sparingEmpty(packed.compressors);
    for (const slices of slicesByGroup(metadata)) {
      const file = remembered(fileBuffer(handle, size));
      for (const { rowStart, rowEnd } of slices) {
        const options = { file, metadata, compressors, parsers, rowStart, rowEnd, utf8: false };
        for (const row of await parquetReadObjects(options)) yield convert(row) as DatasetRow;
      }
    }
  } finally {
    await handle.close();
  }
}

interface RowRange {
  rowStart: number;
  rowEnd: number;
}

function* slicesByGroup(metadata: FileMetaData): Generator<RowRange[]> {
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const wanted = Math.ceil(Number(group.total_byte_size) / SLICE_BYTES);
    const step = Math.max(1, Math.ceil(rows / Math.min(Math.max(1, wanted), MAXIMUM_SLICES)));
    const ranges: RowRange[] = [];
    for (let start = 0; start < rows; start += step) {
      ranges.push({ rowStart: groupStart + start, rowEnd: groupStart + Math.min(start + step, rows) });
    }
    yield ranges;
    groupStart += rows;
  }
}

function fileBuffer(handle: FileHandle, size: number): AsyncBuffer {
  return { byteLength: size, slice: (start, end = size) => readRange(handle, start, end) };
}

/** Caches ranges: every slice of a row group reads the same column chunks. */
function remembered(file: AsyncBuffer): AsyncBuffer {
  const ranges = new Map<string, ReturnType<AsyncBuffer['slice']>>();
  return {
    byteLength: file.byteLength,
    slice: (start, end) => {
      const range = `${start}-${end}`;
      const known = ranges.get(range);
      if (known !== undefined) return known;
      const read = file.slice(start, end);
      ranges.set(range, read);
      return read;
    },
  };
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, end - start));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error(`the file ends at byte ${start + filled}, inside its data`);
    filled += bytesRead;
  }
  return bytes.buffer;
}
