import { setImmediate } from 'node:timers/promises';
import type { RetrievalConfig } from '../../../config/memory-schemas.js';
import type { PaidEmbeddings } from '../../../contracts/embeddings.js';
import { EmbeddingIndex, type EmbedTexts } from '../../../retrieval/embedding-index.js';
import type { LayeredRetrieval } from '../../../retrieval/layered-retrieval.js';
import { LexicalIndex } from '../../../retrieval/lexical-index.js';
import type { IndexedText, RetrievalService } from '../../../retrieval/retrieval-service.js';
import type { VectorStore, VectorsOptions } from '../../../retrieval/vector-store.js';

/** Account that the cost of vectors is charged to. */
export interface Account {
  paid(paid: PaidEmbeddings): void;
  /** Signal that cancels the requests. */
  signal?: AbortSignal | undefined;
}

/** Factory of indexes of the kind that a run's memory needs. */
export interface IndexFactory {
  /** Creates an empty index; the cost of its vectors is charged to the account. */
  index(account: Account): LayeredRetrieval;
  /** Creates an empty layer over an index. */
  layer(base: LayeredRetrieval, account: Account): LayeredRetrieval;
}

/** Returns the options of one request, with the signal of the lane's current search. */
function options(known: ReadonlyMap<string, Float32Array>, account: Account): VectorsOptions {
  const { signal } = account;
  return { known, onPaid: (paid) => account.paid(paid), ...(signal === undefined ? {} : { signal }) };
}

/** Texts indexed at once: indexing blocks the process. */
const PORTION = 500;

/** Fills an index in portions. */
export async function fillIndex(index: RetrievalService, texts: readonly IndexedText[]): Promise<void> {
  for (let at = 0; at < texts.length; at += PORTION) {
    await index.buildIndex(texts.slice(at, at + PORTION));
    await setImmediate();
  }
}

/** Creates the factory of a run's indexes. @param vectors called only for embedding indexes */
export async function indexFactory(
  { backend }: RetrievalConfig,
  vectors: () => Promise<{ store: VectorStore; known: ReadonlyMap<string, Float32Array> }>,
): Promise<IndexFactory> {
  if (backend === 'bm25') {
    return { index: () => new LexicalIndex(), layer: (base) => base.layer() };
  }
  const { store, known } = await vectors();
  const on =
    (account: Account): EmbedTexts =>
    async (texts) =>
      (await store.vectorsOf(texts, options(known, account))).vectors;
  return {
    index: (account) => new EmbeddingIndex(on(account)),
    layer: (base, account) => (base as EmbeddingIndex).layer(on(account)),
  };
}
