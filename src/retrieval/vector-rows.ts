/** Vector with the hash that identifies it. */
export interface HashedVector {
  /** Hash of the model's identity and the text; see `VectorStore.hashOf`. */
  hash: string;
  vector: Float32Array;
}

/** Stored form of a vector: an object of a vector store, and a line of the file beside a saved memory. */
export interface VectorRow {
  hash: string;
  /** Identity of the embedder. */
  model: string;
  dimensions: number;
  /** Float32 numbers, little-endian, in Base64. */
  vector: string;
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Bytes converted to text at once: the number of a function's arguments is limited. */
const CHUNK = 8192;

function latin1(bytes: Uint8Array): string {
  // Spread syntax would iterate, which takes ten times as long.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

function toBase64(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (let index = 0; index < vector.length; index++)
    view.setFloat32(index * BYTES, vector[index] as number, true);
  const bytes = new Uint8Array(view.buffer);
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += latin1(bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

function fromBase64(text: string, dimensions: number): Float32Array | null {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  if (binary.length !== dimensions * BYTES) return null;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  const view = new DataView(bytes.buffer);
  const vector = new Float32Array(dimensions);
  for (let index = 0; index < dimensions; index++) vector[index] = view.getFloat32(index * BYTES, true);
  return vector;
}

export function toVectorRow({ hash, vector }: HashedVector, model: string): VectorRow {
  return { hash, model, dimensions: vector.length, vector: toBase64(vector) };
}

/** Reads a row; null if it is no row, is damaged, or is another model's. */
export function fromVectorRow(value: unknown, model: string): HashedVector | null {
  if (typeof value !== 'object' || value === null) return null;
  const {
    hash,
    model: madeBy,
    dimensions,
    vector: text,
  } = value as Partial<Record<keyof VectorRow, unknown>>;
  if (typeof hash !== 'string' || madeBy !== model || typeof text !== 'string') return null;
  if (typeof dimensions !== 'number' || !Number.isInteger(dimensions) || dimensions <= 0) return null;
  const vector = fromBase64(text, dimensions);
  return vector?.every(Number.isFinite) ? { hash, vector } : null;
}

/** Yields the rows of a file with a saved memory's vectors; each becomes a line of JSON. */
export async function* writeVectors(
  vectors: AsyncIterable<HashedVector> | Iterable<HashedVector>,
  model: string,
): AsyncGenerator<VectorRow> {
  for await (const vector of vectors) yield toVectorRow(vector, model);
}

/** Yields the vectors of such a file from its parsed lines. Rows of other models and damaged ones are left out. */
export async function* readVectors(
  rows: AsyncIterable<unknown> | Iterable<unknown>,
  model: string,
): AsyncGenerator<HashedVector> {
  for await (const row of rows) {
    const vector = fromVectorRow(row, model);
    if (vector !== null) yield vector;
  }
}
