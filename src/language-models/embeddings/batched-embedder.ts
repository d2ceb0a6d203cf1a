import type { Embedder, EmbedLimits, EmbedReply } from '../../contracts/embeddings.js';
import { wellFormed } from '../../contracts/well-formed.js';
import { requestBatches } from '../../retrieval/request-batches.js';
import { LanguageModelError } from '../errors.js';
import { type Attempt, type GuardOptions, guardRequest } from '../guard.js';
import { estimatedTokens, isCount } from '../usage.js';
import { cutText } from './cut-text.js';
import { readVectors } from './read-vectors.js';

/**
 * Bytes of a text (UTF-8) that are sent. No token is shorter than a byte, so a model that reads 8,192 tokens can read
 * 8,000 bytes in any language; in English they are about 2,000 tokens.
 */
export const DEFAULT_TEXT_BYTES = 8000;

export interface BatchedEmbedderOptions {
  identity: string;
  guard: GuardOptions;
  limits: EmbedLimits;
  maximumTextBytes: number;
  /** Requested length of the vectors; the model's own by default. */
  dimensions?: number;
}

/** Unchecked response of a provider to one request. */
export interface RawEmbeddings {
  /** List of numbers for each text. */
  vectors: unknown;
  inputTokens: unknown;
}

/** Creates an embedder that sends texts in requests of a bounded size, each with its own deadline. */
export function batchedEmbedder(
  { identity, guard, limits, maximumTextBytes, dimensions }: BatchedEmbedderOptions,
  send: (texts: string[], attempt: Attempt) => Promise<RawEmbeddings>,
): Embedder {
  const { provider, serverName = provider } = guard;
  return {
    identity,
    limits,
    async embed(texts, { signal } = {}): Promise<EmbedReply> {
      const blank = texts.findIndex((text) => text.trim() === '');
      if (blank !== -1) {
        throw new LanguageModelError('bad_request', `text ${blank + 1} of ${texts.length} is blank`, {
          provider,
        });
      }
      const sent = texts.map((text) => wellFormed(cutText(text, maximumTextBytes)));
      const reply: EmbedReply = {
        vectors: [],
        usage: { input_tokens: 0 },
        requests: 0,
        estimated: 0,
        cut: sent.filter((text, index) => text.length < (texts[index] as string).length).length,
      };
      for (const batch of requestBatches(sent, limits, (text) => text)) {
        const { vectors, inputTokens } = await guardRequest(guard, { signal }, async (attempt) => {
          const raw = await send(batch, attempt);
          const read = readVectors(raw.vectors, { provider, serverName, texts: batch.length, dimensions });
          return { vectors: read, inputTokens: raw.inputTokens };
        });
        reply.vectors.push(...vectors);
        reply.requests += 1;
        if (!isCount(inputTokens)) reply.estimated += 1;
        reply.usage.input_tokens += isCount(inputTokens) ? inputTokens : estimatedBatch(batch);
      }
      return reply;
    },
  };
}

function estimatedBatch(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimatedTokens(text), 0);
}
