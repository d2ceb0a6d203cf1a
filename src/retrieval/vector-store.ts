import type { Embedder, EmbedUsage, PaidEmbeddings } from '../contracts/embeddings.js';
import { forEachBounded } from './bounded.js';
import { KeptVectors, type KeptVectorsOptions } from './kept-vectors.js';
import { requestBatches } from './request-batches.js';
import { VectorError } from './vectors.js';

export interface VectorStoreOptions extends Omit<KeptVectorsOptions, 'identity'> {
  embedder: Embedder;
  /** Returns the cost in US dollars; null if it is unknown. */
  costOf?: (usage: EmbedUsage) => number | null;
  /** Maximum of requests in flight for one call of `vectorsOf`; 4 by default. */
  concurrentRequests?: number;
}

export interface VectorsOptions {
  signal?: AbortSignal;
  /** Vectors in memory, by hash, such as those of a saved memory: neither looked up nor paid for. */
  known?: ReadonlyMap<string, Float32Array>;
  /** Listener that gets the cost of every request as soon as it is paid, even if a later one fails. */
  onPaid?: (paid: PaidEmbeddings) => void;
}

export interface StoredVectors {
  /** Vectors in the order of the texts; equal texts share one. Must not be changed. */
  vectors: Float32Array[];
  /** Cost of this call. A request that two calls share counts for the one that sent it. */
  paid: PaidEmbeddings;
}

interface Wanted {
  hash: string;
  text: string;
  settle: (vector: Float32Array) => void;
  fail: (error: unknown) => void;
}

function nothingPaid(): PaidEmbeddings {
  return { texts: 0, requests: 0, input_tokens: 0, cost_usd: 0, cut: 0 };
}

/** Adds two amounts; the cost is unknown if that of either is. */
function addPaid(left: PaidEmbeddings, right: PaidEmbeddings): PaidEmbeddings {
  const estimated = (left.estimated ?? 0) + (right.estimated ?? 0);
  return {
    texts: left.texts + right.texts,
    requests: left.requests + right.requests,
    ...(estimated === 0 ? {} : { estimated }),
    input_tokens: left.input_tokens + right.input_tokens,
    cost_usd: left.cost_usd === null || right.cost_usd === null ? null : left.cost_usd + right.cost_usd,
    cut: left.cut + right.cut,
  };
}

/** Waits for work until the signal aborts; then throws the signal's reason, while the work continues. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Store of vectors by content: model and text identify an object, so a stored vector is never paid for again, by any
 * worker or run. Within a process, a text is looked up and requested once for all concurrent calls.
 *
 * Invariant: a vector is written before it is returned, and a request's texts never exceed one request's limits. So a
 * crash loses at most the requests in flight, and a failed one leaves nothing behind.
 */
export class VectorStore {
  private readonly pending = new Map<string, Promise<Float32Array>>();
  /**
   * Paid vectors that could not be written because the files were unreachable; the next call that needs one writes it.
   */
  private readonly unwritten = new Map<string, Float32Array>();
  private readonly kept: KeptVectors;
  private readonly embedder: Embedder;
  private readonly costOf: NonNullable<VectorStoreOptions['costOf']>;
  private readonly concurrentRequests: number;

  constructor({ embedder, costOf = () => null, concurrentRequests = 4, ...kept }: VectorStoreOptions) {
    this.kept = new KeptVectors({ ...kept, identity: embedder.identity });
    this.embedder = embedder;
    this.costOf = costOf;
    this.concurrentRequests = concurrentRequests;
  }

  /** Returns the hash that names a text's vector. */
  hashOf(text: string): string {
    return this.kept.hashOf(text);
  }

  /**
   * Returns the vectors of texts: stored ones, and the others from the embedder.
   * @throws what embedder and files throw, and the signal's reason. Vectors that were paid for until then are kept.
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
    // If another call's request fails or is cancelled, its texts are requested here.
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

  private announce(hash: string, text: string, own: Wanted[]): Promise<Float32Array> {
    const promise = new Promise<Float32Array>((settle, fail) => own.push({ hash, text, settle, fail }));
    this.pending.set(hash, promise);
    return promise;
  }

  private async obtain(own: readonly Wanted[], options: VectorsOptions): Promise<void> {
    try {
      const absent = new Set(own);
      await forEachBounded(own, this.kept.concurrentFiles, async (wanted) => {
        options.signal?.throwIfAborted();
        const vector = (await this.rewrite(wanted.hash)) ?? (await this.kept.read(wanted.hash));
        if (vector === null) return;
        absent.delete(wanted);
        wanted.settle(vector);
      });
      const batches = requestBatches([...absent], this.embedder.limits, ({ text }) => text);
      await forEachBounded(batches, this.concurrentRequests, (batch) => this.ask(batch, options));
    } catch (error) {
      for (const { fail } of own) fail(error);
      throw error;
    } finally {
      for (const { hash } of own) this.pending.delete(hash);
    }
  }

  private async ask(batch: readonly Wanted[], { signal, onPaid }: VectorsOptions): Promise<void> {
    signal?.throwIfAborted();
    const { vectors, usage, requests, estimated, cut } = await this.embedder.embed(
      batch.map(({ text }) => text),
      { signal },
    );
    onPaid?.({
      texts: batch.length,
      requests,
      ...(estimated === 0 ? {} : { estimated }),
      input_tokens: usage.input_tokens,
      cost_usd: this.costOf(usage),
      cut,
    });
    if (vectors.length !== batch.length) {
      throw new VectorError(`${batch.length} texts were given ${vectors.length} vectors`);
    }
    for (const [index, { hash }] of batch.entries()) this.unwritten.set(hash, vectors[index] as Float32Array);
    await forEachBounded(batch, this.kept.concurrentFiles, async ({ hash, settle }) => {
      settle((await this.rewrite(hash)) as Float32Array);
    });
  }

  /** Stores a paid vector that could not be written before; returns null if there is none. */
  private async rewrite(hash: string): Promise<Float32Array | null> {
    const vector = this.unwritten.get(hash);
    if (vector === undefined) return null;
    await this.kept.write({ hash, vector });
    this.unwritten.delete(hash);
    return vector;
  }
}
