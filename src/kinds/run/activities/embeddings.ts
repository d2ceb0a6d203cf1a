import { createHash } from 'node:crypto';
import type { RetrievalConfig } from '../../../config/memory-schemas.js';
import type { Provider } from '../../../config/providers.js';
import type { PaidEmbeddings } from '../../../contracts/embeddings.js';
import {
  createEmbedder,
  type EmbedderSettings,
  embedderIdentity,
} from '../../../language-models/embeddings/create.js';
import { costOf, type PriceTable } from '../../../language-models/prices.js';
import { atServer } from '../../../language-models/server-address.js';
import { KeptVectors, type VectorFiles } from '../../../retrieval/kept-vectors.js';
import { readVectors, writeVectors } from '../../../retrieval/vector-rows.js';
import { VectorStore } from '../../../retrieval/vector-store.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJsonLines } from '../../../storage/json-lines.js';
import { recordsBelow } from '../../../storage/read-ahead.js';
import { addEmbeddings } from '../lane/totals.js';
import { embeddingModels } from '../models.js';
import { paidEmbeddingKey, paidEmbeddingsPrefix, vectorCachePrefix } from '../paths.js';
import type { EmbeddingTotals } from '../results.js';
import type { RunConfig } from '../schema.js';
import type { RunContext } from './run-context.js';

type Environment = Readonly<Record<string, string | undefined>>;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Timeout of a request for vectors, in seconds. */
const TIMEOUT_SEC = 120;

/** Returns the settings of the embedding model that `memory.retrieval` or a scorer names. */
export function embedderSettings({
  model = '',
  base_url,
  dimensions,
}: Pick<RetrievalConfig, 'model' | 'base_url' | 'dimensions'>): EmbedderSettings {
  const slash = model.indexOf('/');
  return {
    provider: model.slice(0, slash) as Provider,
    model: model.slice(slash + 1),
    timeout_sec: TIMEOUT_SEC,
    ...(base_url === undefined ? {} : { base_url }),
    ...(dimensions === undefined ? {} : { dimensions }),
  };
}

/** Returns a run's config with the servers of the worker's environment where the config names none. */
export function atServers(config: RunConfig, environment: Environment): RunConfig {
  const result = structuredClone(config);
  const { lm, models, memory, scorers } = result;
  result.lm = atServer(lm, environment);
  if (models.judge !== null) models.judge = atServer(models.judge, environment);
  for (const scorer of Object.values(scorers)) {
    if (scorer.type !== 'model_graded') continue;
    if (scorer.lm !== undefined) scorer.lm = atServer(scorer.lm, environment);
    if (scorer.panel !== undefined) scorer.panel = scorer.panel.map((one) => atServer(one, environment));
  }
  const embedding = embeddingModels({ memory, scorers });
  for (const model of Object.values(embedding))
    Object.assign(model, { base_url: atServer(embedderSettings(model), environment).base_url });
  return result;
}

/**
 * Creates the store of an embedding model's vectors in the given files.
 * @throws LanguageModelError (`authentication`) if the key is missing.
 */
export async function vectorStoreFor(
  retrieval: RetrievalConfig,
  { environment, prices, files }: { environment: Environment; prices: PriceTable; files: VectorFiles },
): Promise<VectorStore> {
  const settings = embedderSettings(retrieval);
  return new VectorStore({
    files,
    embedder: await createEmbedder(settings, { environment }),
    hash: sha256,
    costOf: (usage) =>
      costOf(
        settings.provider,
        settings.model,
        { ...usage, output_tokens: 0 },
        {
          baseUrl: settings.base_url,
          table: prices,
        },
      ),
  });
}

/** Returns the files of a model's vectors that the runs of one results folder share: a later run does not pay again. */
export function sharedVectorFiles(results: ArtifactStore, retrieval: RetrievalConfig): VectorFiles {
  return results.within(vectorCachePrefix(sha256(embedderIdentity(embedderSettings(retrieval)))));
}

/** Reads the file of vectors that came with a saved memory, by hash; empty if there is no such file. */
export async function vectorsIn(
  { store, key }: { store: ArtifactStore; key: string },
  retrieval: RetrievalConfig,
): Promise<Map<string, Float32Array>> {
  const stream = await store.openRead(key);
  const known = new Map<string, Float32Array>();
  if (stream === null) return known;
  const identity = embedderIdentity(embedderSettings(retrieval));
  for await (const { hash, vector } of readVectors(readJsonLines(stream), identity)) known.set(hash, vector);
  return known;
}

/** Returns the lines of the file with a memory's vectors, for those texts that have one. No model is requested. */
export function vectorRows(
  retrieval: RetrievalConfig,
  {
    files,
    texts,
    known,
  }: { files: VectorFiles; texts: Iterable<string>; known: ReadonlyMap<string, Float32Array> },
): AsyncIterable<object> {
  const identity = embedderIdentity(embedderSettings(retrieval));
  const kept = new KeptVectors({ files, identity, hash: sha256 });
  return writeVectors(kept.rowsOf(texts, known), identity);
}

/**
 * Records the cost of a request for vectors, for the run's figures.
 * @param id of the request; recording it again writes the same object.
 */
export async function notePaid(run: RunContext, id: string, paid: PaidEmbeddings): Promise<void> {
  await run.store.write(paidEmbeddingKey(id), JSON.stringify(paid));
}

/** Sums what the run has paid for vectors; null if it paid nothing. */
export async function paidEmbeddings(store: ArtifactStore): Promise<EmbeddingTotals | null> {
  let total: EmbeddingTotals | null = null;
  for await (const paid of recordsBelow<PaidEmbeddings>(store, paidEmbeddingsPrefix())) {
    if (paid.texts > 0) total = addEmbeddings(total, paid);
  }
  return total;
}
