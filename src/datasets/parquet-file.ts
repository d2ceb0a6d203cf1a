import { type FileHandle, open } from 'node:fs/promises';
import type { AsyncBuffer, Compressors, FileMetaData } from 'hyparquet';
import { columnConverters, withRawDecimals } from './parquet-columns.js';
import type { Row } from './row.js';
import { momentAsWritten } from './written-numbers.js';

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

/** Reads the rows of a parquet file. Holds one compressed row group and the rows of one slice of it. */
export async function* readParquetRows(path: string): AsyncGenerator<Row> {
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
        for (const row of await parquetReadObjects(options)) yield convert(row) as Row;
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
