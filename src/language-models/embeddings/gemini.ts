import type { Embedder } from '../../contracts/embeddings.js';
import { geminiClient } from '../gemini-client.js';
import { nameServer } from '../guard.js';
import { providerFetch, VECTORS_MB } from '../provider-fetch.js';
import { batchedEmbedder, DEFAULT_TEXT_BYTES } from './batched-embedder.js';

/** `at most 100 requests can be in one batch`, as the service says; its free tier counts each of them. */
const TEXTS_PER_REQUEST = 100;
const BYTES_PER_REQUEST = 300_000;

export interface GeminiEmbedderOptions {
  identity: string;
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  baseUrl?: string;
  /** The length of the vectors; the model's own by default. */
  dimensions?: number;
  maximumTextBytes?: number;
  textsPerRequest?: number;
}

/** The part of the answer that the client drops. */
interface WireBody {
  usageMetadata?: { promptTokenCount?: unknown };
}

/**
 * A model behind Google's Gemini API (`POST /v1beta/models/{model}:batchEmbedContents`). No task type is sent: queries
 * and texts are of one kind here, a question and the questions before it.
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
        // Contents, not strings: of strings the client makes one content, and one vector, for gemini-embedding-2.
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
