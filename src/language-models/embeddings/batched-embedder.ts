import type { Embedder, EmbedLimits, EmbedReply } from '../../contracts/embeddings.js';
import { isCount } from '../../contracts/incoming.js';
import { wellFormed } from '../../contracts/well-formed.js';
import { requestBatches } from '../../retrieval/request-batches.js';
import { LanguageModelError } from '../errors.js';
import { type GuardedAttempt, type GuardOptions, guardRequest } from '../guard.js';
import { estimatedTokens } from '../usage.js';

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

/** Cuts a text to at most `maximumBytes` UTF-8 bytes, without splitting a character. */
export function cutText(text: string, maximumBytes: number): string {
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (text.length * 3 <= maximumBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maximumBytes));
  return text.slice(0, read);
}

interface ExpectedVectors {
  provider: string;
  serverName: string;
  /** Number of texts that were sent. */
  texts: number;
  /** Requested length. */
  dimensions?: number;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);
}

/**
 * Checks the vectors in a provider's response.
 * @throws LanguageModelError: `malformed_reply` if they are no vectors, too few or too many, or differ in length;
 * `configuration` if the server ignores `dimensions`, which another attempt would not change.
 */
function readVectors(
  value: unknown,
  { provider, serverName, texts, dimensions }: ExpectedVectors,
): Float32Array[] {
  const fail = (problem: string): never => {
    throw new LanguageModelError('malformed_reply', `${serverName} sent ${problem}`, { provider });
  };
  if (!Array.isArray(value)) return fail('no list of vectors');
  if (value.length !== texts) return fail(`${value.length} vectors for ${texts} texts`);
  const [first] = value;
  for (const [index, vector] of value.entries()) {
    if (!isVector(vector))
      return fail(`something that is no list of numbers as vector ${index + 1} of ${texts}`);
    if (vector.length !== first.length)
      return fail(`vectors of ${first.length} and of ${vector.length} numbers`);
  }
  if (dimensions !== undefined && texts > 0 && first.length !== dimensions) {
    throw new LanguageModelError(
      'configuration',
      `${serverName} sent vectors of ${first.length} numbers where ${dimensions} were asked for: ` +
        'leave dimensions out, or choose a model that can shorten its vectors',
      { provider },
    );
  }
  return value.map((vector: number[]) => Float32Array.from(vector));
}

/** Creates an embedder that sends texts in requests of a bounded size, each with its own deadline. */
export function batchedEmbedder(
  { identity, guard, limits, maximumTextBytes, dimensions }: BatchedEmbedderOptions,
  send: (texts: string[], attempt: GuardedAttempt) => Promise<RawEmbeddings>,
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
