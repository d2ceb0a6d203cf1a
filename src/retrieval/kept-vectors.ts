import { forEachBounded } from './bounded.js';
import { fromVectorRow, type HashedVector, toVectorRow } from './vector-rows.js';

/** Storage for vectors; an `ArtifactStore` is one. */
export interface VectorFiles {
  read(key: string): Promise<Uint8Array | null>;
  write(key: string, bytes: Uint8Array): Promise<unknown>;
}

export interface KeptVectorsOptions {
  files: VectorFiles;
  /** Identity of the embedder. */
  identity: string;
  /** Returns a cryptographic hash of a text's UTF-8 bytes, in lower-case hexadecimal. */
  hash: (text: string) => string;
  /** Maximum of objects read or written at once; 32 by default. */
  concurrentFiles?: number;
}

/** Texts per portion of `rowsOf`. */
const PORTION = 256;

/** Stored vectors of one model, an object for each text. Never requests the model. */
export class KeptVectors {
  readonly concurrentFiles: number;

  constructor(private readonly options: KeptVectorsOptions) {
    this.concurrentFiles = options.concurrentFiles ?? 32;
  }

  /** Returns the hash that names a text's vector. */
  hashOf(text: string): string {
    return this.options.hash(JSON.stringify([this.options.identity, text]));
  }

  /** Reads a vector; null if there is none. */
  async read(hash: string): Promise<Float32Array | null> {
    const bytes = await this.options.files.read(keyOf(hash));
    if (bytes === null) return null;
    let row: HashedVector | null;
    try {
      row = fromVectorRow(JSON.parse(new TextDecoder().decode(bytes)), this.options.identity);
    } catch {
      // The object is incomplete or overwritten: the vector is requested again.
      return null;
    }
    return row?.hash === hash ? row.vector : null;
  }

  async write(vector: HashedVector): Promise<void> {
    const row = toVectorRow(vector, this.options.identity);
    const bytes = new TextEncoder().encode(`${JSON.stringify(row)}\n`);
    await this.options.files.write(keyOf(vector.hash), bytes);
  }

  /**
   * Yields the vectors of texts as rows for `writeVectors`, each once, with a few hundred in memory at a time. A text
   * without a stored vector is left out.
   * @param known vectors in memory, by hash.
   */
  async *rowsOf(
    texts: Iterable<string>,
    known: ReadonlyMap<string, Float32Array>,
  ): AsyncGenerator<HashedVector> {
    const hashes = [...new Set([...texts].map((text) => this.hashOf(text)))];
    for (let at = 0; at < hashes.length; at += PORTION) {
      const portion = hashes.slice(at, at + PORTION);
      const found = new Map<string, Float32Array>();
      await forEachBounded(portion, this.concurrentFiles, async (hash) => {
        const vector = known.get(hash) ?? (await this.read(hash));
        if (vector !== null) found.set(hash, vector);
      });
      for (const hash of portion) {
        const vector = found.get(hash);
        if (vector !== undefined) yield { hash, vector };
      }
    }
  }
}

/** Returns a key, spread over 256 folders. */
function keyOf(hash: string): string {
  return `${hash.slice(0, 2)}/${hash}.json`;
}
