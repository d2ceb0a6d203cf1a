import { setImmediate } from 'node:timers/promises';
import type { RetrievalConfig } from '../../../config/memory-schemas.js';
import type { PaidEmbeddings } from '../../../contracts/embeddings.js';
import { EmbeddingIndex, type EmbedTexts } from '../../../retrieval/embedding-index.js';
import type { LayeredRetrieval } from '../../../retrieval/layered-retrieval.js';
import { LexicalIndex } from '../../../retrieval/lexical-index.js';
import type { IndexedText, RetrievalService } from '../../../retrieval/retrieval-service.js';
import type { VectorStore, VectorsOptions } from '../../../retrieval/vector-store.js';

/** On whose behalf vectors are paid for. */
export interface Account {
  paid(paid: PaidEmbeddings): void;
  /** Ends the requests. */
  signal?: AbortSignal | undefined;
}

/** Makes indexes of the kind that a run's memory asks for. */
export interface IndexFactory {
  /** An empty index; what its vectors cost goes on the account. */
  index(account: Account): LayeredRetrieval;
  /** An empty layer over one. */
  layer(base: LayeredRetrieval, account: Account): LayeredRetrieval;
}

/** Read anew for each request: a lane's account is that of its search at the moment. */
function options(known: ReadonlyMap<string, Float32Array>, account: Account): VectorsOptions {
  const { signal } = account;
  return { known, onPaid: (paid) => account.paid(paid), ...(signal === undefined ? {} : { signal }) };
}

/** Texts indexed at once: it is done in one go, and the process has other things to do as well. */
const PORTION = 500;

/** Fills an index in portions. */
export async function fillIndex(index: RetrievalService, texts: readonly IndexedText[]): Promise<void> {
  for (let at = 0; at < texts.length; at += PORTION) {
    await index.buildIndex(texts.slice(at, at + PORTION));
    await setImmediate();
  }
}

/** @param vectors where an embedding index gets its vectors; not asked for otherwise. */
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
