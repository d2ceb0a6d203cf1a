import type { Embedder } from '../../src/contracts/embeddings.js';
import type { FakeProvider } from '../support/fake-providers/fake-provider.js';

export type EmbeddingKind = 'openai' | 'gemini';
export const EMBEDDING_KINDS: EmbeddingKind[] = ['openai', 'gemini'];

export interface EmbedderForOptions {
  model?: string;
  timeoutMs?: number;
  apiKey?: string;
  dimensions?: number;
  maximumTextBytes?: number;
  textsPerRequest?: number;
}

/** The embedder for a fake provider. */
export async function embedderFor(
  provider: FakeProvider,
  { model, ...options }: EmbedderForOptions = {},
): Promise<Embedder> {
  const common = {
    identity: 'fake',
    apiKey: 'secret-key-1234',
    timeoutMs: 10_000,
    baseUrl: provider.baseUrl,
    ...options,
  };
  if (provider.kind === 'openai') {
    const { openaiEmbedder } = await import('../../src/language-models/embeddings/openai.js');
    return openaiEmbedder({ model: model ?? 'text-embedding-3-small', ...common });
  }
  const { geminiEmbedder } = await import('../../src/language-models/embeddings/gemini.js');
  return geminiEmbedder({ model: model ?? 'gemini-embedding-001', ...common });
}
