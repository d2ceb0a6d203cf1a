import type { Embedder, EmbedUsage, PaidEmbeddings } from '../contracts/embeddings.js';
import { forEachBounded } from './bounded.js';
import { addPaid, nothingPaid } from './paid-embeddings.js';
import { requestBatches } from './request-batches.js';
import { untilAborted } from './until-aborted.js';
import { fromVectorRow, type HashedVector, toVectorRow } from './vector-rows.js';
import { VectorError } from './vectors.js';

/** Where vectors are kept; an `ArtifactStore` is one. */
export interface VectorFiles {
  read(key: string): Promise<Uint8Array | null>;
  write(key: string, bytes: Uint8Array): Promise<unknown>;
}

export interface VectorStoreOptions {
  files: VectorFiles;
  embedder: Embedder;
  /** A cryptographic hash of a text's UTF-8, in lower-case hexadecimal. */
  hash: (text: string) => string;
  /** US dollars; null where they are not known. */
  costOf?: (usage: EmbedUsage | undefined) => number | null;
  /** Objects read or written at once; 32 by default. */
  concurrentFiles?: number;
  /** Requests in flight for one call of `vectorsOf`; 4 by default. */
  concurrentRequests?: number;
}

export interface VectorsOptions {
  signal?: AbortSignal;
  /** Vectors at hand, by hash, such as those of a saved memory: neither looked up nor paid for. */
  known?: ReadonlyMap<string, Float32Array>;
  /** Hears of every request as soon as it is paid for, so also of those before a failure. */
  onPaid?: (paid: PaidEmbeddings) => void;
}

export interface StoredVectors {
  /** In the order of the texts; equal texts share one. Not to be changed. */
  vectors: Float32Array[];
  /** What this call paid. A request that two calls share is on the account of the one that sent it. */
  paid: PaidEmbeddings;
}

interface Wanted {
  hash: string;
  text: string;
  settle: (vector: Float32Array) => void;
  fail: (error: unknown) => void;
}

/** Texts of one portion of `rowsOf`. */
const PORTION = 256;

/**
 * Vectors by content: model and text name an object, so a vector that was once kept is never paid for again, by
 * whichever worker or run. Within a process one text is looked up and asked for once, however many want it.
 *
 * Invariant: a vector is written before anybody gets it, and a request's texts never exceed one request's limits. So a
 * crash loses at most the requests in flight, and a failed one leaves nothing behind.
 */
export class VectorStore {
  private readonly pending = new Map<string, Promise<Float32Array>>();
  /** Paid for, but not kept, because the files were away: the next who wants them writes them. */
  private readonly unwritten = new Map<string, Float32Array>();
  private readonly options: Required<VectorStoreOptions>;

  constructor(options: VectorStoreOptions) {
    const { costOf = () => null, concurrentFiles = 32, concurrentRequests = 4 } = options;
    this.options = { ...options, costOf, concurrentFiles, concurrentRequests };
  }

  /** Names the vector of a text. */
  hashOf(text: string): string {
    return this.options.hash(JSON.stringify([this.options.embedder.identity, text]));
  }

  /**
   * The vectors of texts: those that are kept, and the others from the embedder.
   * @throws what embedder and files throw, and the signal's reason. What was paid for until then is kept.
   */
  async vectorsOf(texts: readonly string[], options: VectorsOptions = {}): Promise<StoredVectors> {
    let paid = nothingPaid();
    const onPaid = (part: PaidEmbeddings) => {
      paid = addPaid(paid, part);
      options.onPaid?.(part);
    };
    const hashes = texts.map((text) => this.hashOf(text));
    const missing = new Map(hashes.map((hash, index) => [hash, texts[index] as string]));
    const found = new Map<string, Float32Array>();
    const keep = (hash: string, vector: Float32Array | undefined) => {
      if (vector === undefined) return;
      found.set(hash, vector);
      missing.delete(hash);
    };
    for (const hash of missing.keys()) keep(hash, options.known?.get(hash));
    // Somebody else's request may fail or be cancelled; then what it was for is asked for here.
    while (missing.size > 0) {
      options.signal?.throwIfAborted();
      const others: Promise<void>[] = [];
      const own: Wanted[] = [];
      for (const [hash, text] of missing) {
        const shared = this.pending.get(hash) ?? this.announce(hash, text, own);
        others.push(
          shared.then(
            (vector) => keep(hash, vector),
            () => {},
          ),
        );
      }
      await this.obtain(own, { ...options, onPaid });
      await untilAborted(Promise.all(others), options.signal);
    }
    return { vectors: hashes.map((hash) => found.get(hash) as Float32Array), paid };
  }

  /** The vectors of texts as rows for `writeVectors`, each once, a few hundred in memory at a time. */
  async *rowsOf(texts: Iterable<string>, options: VectorsOptions = {}): AsyncGenerator<HashedVector> {
    const distinct = [...new Set(texts)];
    for (let at = 0; at < distinct.length; at += PORTION) {
      const portion = distinct.slice(at, at + PORTION);
      const { vectors } = await this.vectorsOf(portion, options);
      for (const [index, text] of portion.entries()) {
        yield { hash: this.hashOf(text), vector: vectors[index] as Float32Array };
      }
    }
  }

  private announce(hash: string, text: string, own: Wanted[]): Promise<Float32Array> {
    const promise = new Promise<Float32Array>((settle, fail) => own.push({ hash, text, settle, fail }));
    this.pending.set(hash, promise);
    return promise;
  }

  private async obtain(own: readonly Wanted[], options: VectorsOptions): Promise<void> {
    const { embedder, concurrentFiles, concurrentRequests } = this.options;
    try {
      const absent = new Set(own);
      await forEachBounded(own, concurrentFiles, async (wanted) => {
        options.signal?.throwIfAborted();
        const vector = (await this.rewrite(wanted.hash)) ?? (await this.read(wanted.hash));
        if (vector === null) return;
        absent.delete(wanted);
        wanted.settle(vector);
      });
      const batches = requestBatches([...absent], embedder.limits, ({ text }) => text);
      await forEachBounded(batches, concurrentRequests, (batch) => this.ask(batch, options));
    } catch (error) {
      for (const { fail } of own) fail(error);
      throw error;
    } finally {
      for (const { hash } of own) this.pending.delete(hash);
    }
  }

  private async ask(batch: readonly Wanted[], { signal, onPaid }: VectorsOptions): Promise<void> {
    const { embedder, costOf, concurrentFiles } = this.options;
    signal?.throwIfAborted();
    const { vectors, usage, requests, cut } = await embedder.embed(
      batch.map(({ text }) => text),
      { signal },
    );
    onPaid?.({
      texts: batch.length,
      requests,
      input_tokens: usage?.input_tokens ?? 0,
      cost_usd: costOf(usage),
      cut,
    });
    if (vectors.length !== batch.length) {
      throw new VectorError(`${batch.length} texts were given ${vectors.length} vectors`);
    }
    for (const [index, { hash }] of batch.entries()) this.unwritten.set(hash, vectors[index] as Float32Array);
    await forEachBounded(batch, concurrentFiles, async ({ hash, settle }) => {
      settle((await this.rewrite(hash)) as Float32Array);
    });
  }

  private async read(hash: string): Promise<Float32Array | null> {
    const bytes = await this.options.files.read(keyOf(hash));
    if (bytes === null) return null;
    let row: HashedVector | null;
    try {
      row = fromVectorRow(JSON.parse(new TextDecoder().decode(bytes)), this.options.embedder.identity);
    } catch {
      // Cut off or overwritten by something else: it is asked for anew.
      return null;
    }
    return row?.hash === hash ? row.vector : null;
  }

  /** Keeps a vector that is paid for and not kept yet; null where there is none. */
  private async rewrite(hash: string): Promise<Float32Array | null> {
    const vector = this.unwritten.get(hash);
    if (vector === undefined) return null;
    const row = toVectorRow({ hash, vector }, this.options.embedder.identity);
    await this.options.files.write(keyOf(hash), new TextEncoder().encode(`${JSON.stringify(row)}\n`));
    this.unwritten.delete(hash);
    return vector;
  }
}

/** Spread over 256 folders, as file systems like it. */
function keyOf(hash: string): string {
  return `${hash.slice(0, 2)}/${hash}.json`;
}
