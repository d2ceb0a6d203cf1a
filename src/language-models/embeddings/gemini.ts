import type { Embedder } from '../../contracts/embeddings.js';
import { geminiClient } from '../gemini-client.js';
import { nameServer } from '../guard.js';
import { providerFetch, VECTORS_MB } from '../provider-fetch.js';
import { batchedEmbedder, DEFAULT_TEXT_BYTES } from './batched-embedder.js';

/** Limit of the service (`at most 100 requests can be in one batch`); its free tier counts each text as a request. */
const TEXTS_PER_REQUEST = 100;
const BYTES_PER_REQUEST = 300_000;

export interface GeminiEmbedderOptions {
  identity: string;
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  baseUrl?: string;
  /** Length of the vectors; the model's own by default. */
  dimensions?: number;
  maximumTextBytes?: number;
  textsPerRequest?: number;
}

/** Part of the response that the client drops. */
interface WireBody {
  usageMetadata?: { promptTokenCount?: unknown };
}

/**
 * Creates an embedder behind Google's Gemini API (`POST /v1beta/models/{model}:batchEmbedContents`). No task type is
 * sent, since queries and texts are of the same kind here: questions.
 */
export function geminiEmbedder(options: GeminiEmbedderOptions): Embedder {
  const { identity, model, apiKey, dimensions, baseUrl, timeoutMs } = options;
  const client = geminiClient(apiKey, baseUrl);
  const provider = 'gemini';
  const serverName = nameServer(provider, baseUrl);
  const ask = providerFetch({ provider, serverName, maxReplyMb: VECTORS_MB });
  return batchedEmbedder(
    {
      identity,
      guard: { provider, serverName, timeoutMs, secrets: [apiKey] },
      limits: { texts: options.textsPerRequest ?? TEXTS_PER_REQUEST, bytes: BYTES_PER_REQUEST },
      maximumTextBytes: options.maximumTextBytes ?? DEFAULT_TEXT_BYTES,
      dimensions,
    },
    async (texts, attempt) => {
      let body: WireBody | undefined;
      const { embeddings } = await client.models.embedContent({
        model,
        // Contents instead of strings: for gemini-embedding-2, the client merges strings into one content with one
        // vector.
        contents: texts.map((text) => ({ role: 'user', parts: [{ text }] })),
        config: {
          ...(dimensions !== undefined && { outputDimensionality: dimensions }),
          abortSignal: attempt.signal,
          httpOptions: {
            // The client's errors drop the headers, and with them Retry-After; its replies drop the usage.
            fetch: async (input: string | URL | Request, init?: RequestInit) => {
              const answer = await ask(input, init);
              attempt.response = { status: answer.status, headers: answer.headers };
              const json = answer.json.bind(answer);
              return Object.assign(answer, { json: async () => (body = (await json()) as WireBody) });
            },
          },
        },
      });
      const vectors = Array.isArray(embeddings)
        ? embeddings.map((embedding) => embedding?.values)
        : undefined;
      return { vectors, inputTokens: body?.usageMetadata?.promptTokenCount };
    },
  );
}
