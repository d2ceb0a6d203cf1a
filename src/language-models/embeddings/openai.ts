import type { Provider } from '../../config/providers.js';
import type { Embedder } from '../../contracts/embeddings.js';
import { errorInsideBody } from '../classify-error.js';
import { nameServer } from '../guard.js';
import { type OpenAIAccount, openaiClient } from '../openai-client.js';
import { VECTORS_MB } from '../provider-fetch.js';
import { batchedEmbedder, DEFAULT_TEXT_BYTES } from './batched-embedder.js';

/** Texts per request. OpenAI accepts 2,048, but 512 vectors of 3,072 numbers are already 20 MB of JSON. */
const TEXTS_PER_REQUEST = 512;

/** Bytes per request. OpenAI accepts 300,000 tokens, and no token is shorter than a byte. */
const BYTES_PER_REQUEST = 300_000;

export interface OpenAIEmbedderOptions extends OpenAIAccount {
  /** Service behind the API, for messages; `openai` by default. */
  provider?: Provider;
  identity: string;
  model: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Length of the vectors, for models that can shorten them; sent only if it is set. */
  dimensions?: number;
  maximumTextBytes?: number;
  textsPerRequest?: number;
}

interface WireEmbedding {
  index?: unknown;
  embedding?: unknown;
}

/** Returns the vectors in the order of the texts: some servers answer out of order and only number them. */
function inOrder(data: unknown): unknown {
  if (!Array.isArray(data)) return undefined;
  const numbered = data.map((item: WireEmbedding | null, position) => ({
    embedding: item?.embedding,
    index: typeof item?.index === 'number' ? item.index : position,
  }));
  return numbered.sort((left, right) => left.index - right.index).map(({ embedding }) => embedding);
}

/**
 * Creates an embedder behind `POST /embeddings`: OpenAI itself, vLLM, Ollama, llama.cpp, text-embeddings-inference,
 * gateways.
 */
export function openaiEmbedder(options: OpenAIEmbedderOptions): Embedder {
  const { provider = 'openai', identity, model, dimensions, apiKey, baseUrl, timeoutMs } = options;
  const serverName = nameServer(provider, baseUrl);
  const client = openaiClient(
    { ...options, isAzure: provider === 'azure' },
    { provider, serverName, maxReplyMb: VECTORS_MB },
  );
  const secrets = apiKey === undefined ? [] : [apiKey];
  return batchedEmbedder(
    {
      identity,
      guard: { provider, serverName, timeoutMs, secrets },
      limits: { texts: options.textsPerRequest ?? TEXTS_PER_REQUEST, bytes: BYTES_PER_REQUEST },
      maximumTextBytes: options.maximumTextBytes ?? DEFAULT_TEXT_BYTES,
      dimensions,
    },
    async (input, { signal }) => {
      // By default the client requests base64, which not every server supports.
      const body = await client.embeddings.create(
        { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) },
        { signal },
      );
      const problem = errorInsideBody(body, { provider, serverName, secrets });
      if (problem !== undefined) throw problem;
      const usage = body?.usage;
      return { vectors: inOrder(body?.data), inputTokens: usage?.prompt_tokens ?? usage?.total_tokens };
    },
  );
}
