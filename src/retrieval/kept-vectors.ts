import { forEachBounded } from './bounded.js';
import { fromVectorRow, type HashedVector, toVectorRow } from './vector-rows.js';

/** Where vectors are kept; an `ArtifactStore` is one. */
export interface VectorFiles {
  read(key: string): Promise<Uint8Array | null>;
  write(key: string, bytes: Uint8Array): Promise<unknown>;
}

export interface KeptVectorsOptions {
  files: VectorFiles;
  /** The embedder's. */
  identity: string;
  /** A cryptographic hash of a text's UTF-8, in lower-case hexadecimal. */
  hash: (text: string) => string;
  /** Objects read or written at once; 32 by default. */
  concurrentFiles?: number;
}

/** Texts of one portion of `rowsOf`. */
const PORTION = 256;

/** The vectors of one model as they are kept: model and text name an object. Never asks the model. */
export class KeptVectors {
  readonly concurrentFiles: number;

  constructor(private readonly options: KeptVectorsOptions) {
    this.concurrentFiles = options.concurrentFiles ?? 32;
  }

  /** Names the vector of a text. */
  hashOf(text: string): string {
    return this.options.hash(JSON.stringify([this.options.identity, text]));
  }

  /** Null where there is none. */
  async read(hash: string): Promise<Float32Array | null> {
    const bytes = await this.options.files.read(keyOf(hash));
    if (bytes === null) return null;
    let row: HashedVector | null;
    try {
      row = fromVectorRow(JSON.parse(new TextDecoder().decode(bytes)), this.options.identity);
    } catch {
      // Cut off or overwritten by something else: it is asked for anew.
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
   * The vectors of texts as rows for `writeVectors`, each once, a few hundred in memory at a time. A text that has none
   * is left out.
   * @param known vectors at hand, by hash.
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

/** Spread over 256 folders, as file systems like it. */
function keyOf(hash: string): string {
  return `${hash.slice(0, 2)}/${hash}.json`;
}
