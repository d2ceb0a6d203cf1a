import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { DataType, RecordBatch, Vector } from 'apache-arrow';
import { missingPackage } from '../config/optional-packages.js';
import { DatasetError } from './dataset-error.js';
import { type Cell, type DatasetRow, toJson } from './row.js';
import { decimalAsWritten, momentAsWritten, singleAsWritten } from './written-numbers.js';

const BLOCK_BYTES = 1024 * 1024;
const END_OF_STREAM = Buffer.from('ffffffff00000000', 'hex');
const FILE_MAGIC = 'ARROW1';

type Arrow = typeof import('apache-arrow');
type Convert = (value: unknown) => Cell;

/** Reads the rows of an Arrow IPC file or stream, one record batch at a time. */
export async function* readArrowRows(path: string): AsyncGenerator<DatasetRow> {
  const uninstalled = missingPackage('arrow');
  if (uninstalled !== null)
    throw new DatasetError(`${uninstalled} (dataset.dataset_path)`, 'dataset.dataset_path');
  const arrow = await import('apache-arrow');
  await checkComplete(path);
  const source = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  // The reader treats a stream that fails like one that has ended.
  let failure: Error | undefined;
  source.on('error', (error) => {
    failure = error;
  });
  try {
    const reader = await arrow.RecordBatchReader.from(source);
    for await (const batch of reader) yield* rowsOf(arrow, batch);
  } finally {
    source.destroy();
  }
  if (failure !== undefined) throw failure;
}

function* rowsOf(arrow: Arrow, batch: RecordBatch): Generator<DatasetRow> {
  const columns = batch.schema.fields.map((field, index) => ({
    name: field.name,
    vector: batch.getChildAt(index) as Vector,
    convert: converterFor(arrow, field.type),
  }));
  for (let row = 0; row < batch.numRows; row += 1) {
    yield Object.fromEntries(columns.map(({ name, vector, convert }) => [name, convert(vector.get(row))]));
  }
}

/**
 * Throws for a file whose end is missing, which the reader does not notice when it is cut between two batches. A stream
 * ends with a message of length 0, a file with its magic text (https://arrow.apache.org/docs/format/Columnar.html).
 */
async function checkComplete(path: string): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, Math.max(0, size - 8));
    const end = buffer.subarray(0, bytesRead);
    if (end.equals(END_OF_STREAM) || end.subarray(-6).toString('latin1') === FILE_MAGIC) return;
    throw new Error('the Arrow file is cut off, or no Arrow file');
  } finally {
    await handle.close();
  }
}

/** Returns a column's converter. Arrow returns some types as bare numbers, whose meaning is in the type. */
function converterFor(arrow: Arrow, type: DataType): Convert {
  const convert = valueConverter(arrow, type);
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function valueConverter({ DataType: Type, ...arrow }: Arrow, type: DataType): Convert {
  const full = { DataType: Type, ...arrow } as Arrow;
  // Milliseconds, with a fraction that is exact to the microsecond.
  if (Type.isTimestamp(type)) {
    return (value) => momentAsWritten(BigInt(Math.round(Number(value) * 1000)), 'microseconds');
  }
  if (Type.isDate(type)) return (value) => new Date(Number(value)).toISOString().slice(0, 10);
  if (Type.isDecimal(type)) {
    const { scale } = type;
    return (value) => decimalAsWritten(wholeNumber(value as Uint32Array), scale);
  }
  if (Type.isDictionary(type)) return converterFor(full, type.dictionary);
  if (Type.isList(type) || Type.isLargeList(type) || Type.isFixedSizeList(type)) {
    const item = converterFor(full, type.valueType);
    return (value) => Array.from(value as Vector, item);
  }
  if (Type.isMap(type)) {
    const item = converterFor(full, type.valueType);
    return (value) =>
      Object.fromEntries(
        Array.from(value as Iterable<[unknown, unknown]>, ([key, inner]) => [String(key), item(inner)]),
      );
  }
  if (Type.isStruct(type)) {
    const fields = type.children.map((field) => ({
      name: field.name,
      convert: converterFor(full, field.type),
    }));
    return (value) =>
      Object.fromEntries(
        fields.map(({ name, convert }) => [name, convert((value as Record<string, unknown>)[name])]),
      );
  }
  if (Type.isFloat(type) && type.precision === full.Precision.SINGLE) {
    return (value) => toJson(singleAsWritten(value as number));
  }
  return (value) => toJson(value);
}

/** Computes a decimal's digits from its little-endian 32-bit words, in two's complement. */
function wholeNumber(words: Uint32Array): bigint {
  let integer = 0n;
  for (let index = words.length - 1; index >= 0; index -= 1)
    integer = (integer << 32n) | BigInt(words[index] ?? 0);
  return BigInt.asIntN(words.length * 32, integer);
}
