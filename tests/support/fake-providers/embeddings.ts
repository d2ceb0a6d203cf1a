import type { FakeReply, Protocol, RecordedRequest } from './behaviours.js';
import { geminiProtocol } from './gemini-protocol.js';
import { openaiProtocol } from './openai-protocol.js';

const DEFAULT_DIMENSIONS = 64;
const GEMINI_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):batchEmbedContents$/;

/** A vector that counts words, each at a place of its own as far as there is room. */
export function embedWords(text: string, dimensions = DEFAULT_DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    let hash = 2166136261;
    for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

/** About four bytes are a token of English. */
function countTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);
}

function usageOf(reply: FakeReply, { texts = [] }: RecordedRequest): number | null {
  return reply.usage === undefined ? countTokens(texts) : (reply.usage?.input ?? null);
}

/** `POST /v1/embeddings`, with the limits of OpenAI itself. */
export const openaiEmbeddings: Protocol = {
  ...openaiProtocol,
  accepts: (path) => path === '/v1/embeddings',
  read: (_path, body) => ({
    model: String(body.model),
    lastUserText: '',
    texts: [body.input].flat(),
    dimensions: body.dimensions,
  }),
  refuse({ texts = [], dimensions, model }) {
    if (texts.length === 0 || texts.includes(''))
      return "'$.input' is invalid. Please check the API reference.";
    if (texts.length > 2048) return "'$.input' is too long. Maximum length is 2048.";
    const longest = texts.findIndex((text) => countTokens([text]) > 8192);
    if (longest !== -1) return `Invalid 'input[${longest}]': maximum input length is 8192 tokens.`;
    if (countTokens(texts) > 300_000) return 'Requested more tokens than the maximum of 300000 per request.';
    if (dimensions !== undefined && model.includes('ada'))
      return 'This model does not support specifying dimensions.';
    return undefined;
  },
  writeReply(reply, request) {
    const tokens = usageOf(reply, request);
    return {
      object: 'list',
      data: reply.vectors?.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model: reply.model ?? request.model,
      ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    };
  },
};

interface EmbedContent {
  model?: string;
  content?: { parts?: { text?: string }[] };
  outputDimensionality?: number;
}

/** `POST /v1beta/models/{model}:batchEmbedContents`. */
export const geminiEmbeddings: Protocol = {
  ...geminiProtocol,
  accepts: (path) => GEMINI_PATH.test(path),
  read(path, body) {
    const requests: EmbedContent[] = body.requests ?? [];
    return {
      model: GEMINI_PATH.exec(path)?.[1] ?? '',
      lastUserText: '',
      texts: requests.map(({ content }) => (content?.parts ?? []).map(({ text }) => text ?? '').join('')),
      dimensions: requests[0]?.outputDimensionality,
    };
  },
  refuse({ body, model, texts = [] }) {
    const requests: EmbedContent[] = body.requests ?? [];
    if (requests.length > 100)
      return '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch';
    if (texts.length === 0 || texts.includes('')) return 'content is empty';
    if (requests.some((request) => request.model !== `models/${model}`))
      return 'The model of a request must be that of the batch';
    return undefined;
  },
  writeReply(reply, request) {
    const tokens = usageOf(reply, request);
    return {
      embeddings: reply.vectors?.map((values) => ({ values })),
      ...(tokens !== null && {
        usageMetadata: {
          promptTokenCount: tokens,
          promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
        },
      }),
    };
  },
};
