import { describe, expect, it } from 'vitest';
import { cutText } from '../../src/language-models/embeddings/batched-embedder.js';
import {
  createEmbedder,
  type EmbedderSettings,
  embedderIdentity,
} from '../../src/language-models/embeddings/create.js';
import { costOf } from '../../src/language-models/prices.js';
import { embedWords } from '../support/fake-providers/embeddings.js';
import { EMBEDDING_KINDS, embedderFor } from './embeddings-support.js';
import { failure, fake } from './support.js';

const vectorsFor = (texts: readonly string[], dimensions?: number) =>
  texts.map((text) => Float32Array.from(embedWords(text, dimensions)));

describe('the OpenAI embedder', () => {
  it('sends texts to /embeddings, and reads vectors and usage', async () => {
    const provider = await fake('openai');
    const reply = await (await embedderFor(provider)).embed(['Hello.', 'größe 三角']);
    expect(reply).toEqual({
      vectors: vectorsFor(['Hello.', 'größe 三角']),
      usage: { input_tokens: 6 },
      requests: 1,
      estimated: 0,
      cut: 0,
    });
    const [asked] = provider.requests;
    expect(asked?.path).toBe('/v1/embeddings');
    expect(asked?.headers.authorization).toBe('Bearer secret-key-1234');
    expect(asked?.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['Hello.', 'größe 三角'],
      encoding_format: 'float',
    });
  });

  it('asks for a length only where it is told to', async () => {
    const provider = await fake('openai');
    const { vectors } = await (await embedderFor(provider, { dimensions: 8 })).embed(['a b c']);
    expect(provider.requests[0]?.body.dimensions).toBe(8);
    expect(vectors).toEqual(vectorsFor(['a b c'], 8));
  });

  it('orders vectors by their numbers', async () => {
    const provider = await fake('openai');
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    provider.next({ kind: 'raw', body: JSON.stringify({ data }), contentType: 'application/json' });
    const { vectors } = await (await embedderFor(provider)).embed(['a', 'b']);
    expect(vectors).toEqual([Float32Array.from([1]), Float32Array.from([2])]);
  });

  it('keeps an error inside a body of status 200 as what it is', async () => {
    const provider = await fake('openai');
    const body = JSON.stringify({ error: { message: 'upstream is busy', code: 503 } });
    provider.next({ kind: 'raw', body, contentType: 'application/json' });
    expect(await failure((await embedderFor(provider)).embed(['a']))).toMatchObject({ kind: 'overloaded' });
  });

  it('passes on why a model cannot shorten its vectors', async () => {
    const provider = await fake('openai');
    const embedder = await embedderFor(provider, { model: 'text-embedding-ada-002', dimensions: 8 });
    const error = await failure(embedder.embed(['a']));
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false });
    expect(error.message).toContain('does not support specifying dimensions');
  });
});

describe('the Gemini embedder', () => {
  it.each(['gemini-embedding-001', 'gemini-embedding-2'])(
    'asks %s for a vector of each text, and reads the usage that its client drops',
    async (model) => {
      const provider = await fake('gemini');
      const reply = await (await embedderFor(provider, { model })).embed(['Hello.', 'größe 三角']);
      expect(reply).toEqual({
        vectors: vectorsFor(['Hello.', 'größe 三角']),
        usage: { input_tokens: 6 },
        requests: 1,
        estimated: 0,
        cut: 0,
      });
      const [asked] = provider.requests;
      expect(asked?.path).toBe(`/v1beta/models/${model}:batchEmbedContents`);
      expect(asked?.headers['x-goog-api-key']).toBe('secret-key-1234');
      expect(asked?.body).toEqual({
        requests: ['Hello.', 'größe 三角'].map((text) => ({
          model: `models/${model}`,
          content: { role: 'user', parts: [{ text }] },
        })),
      });
    },
  );

  it('asks for a length only where it is told to', async () => {
    const provider = await fake('gemini');
    const { vectors } = await (await embedderFor(provider, { dimensions: 8 })).embed(['a b c', 'd']);
    expect(provider.requests[0]?.body.requests).toMatchObject([
      { outputDimensionality: 8 },
      { outputDimensionality: 8 },
    ]);
    expect(vectors).toEqual(vectorsFor(['a b c', 'd'], 8));
  });
});

describe.each(EMBEDDING_KINDS)('every request of the %s embedder', (kind) => {
  it('holds a bounded number of texts', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    const texts = Array.from({ length: embedder.limits.texts * 2 + 1 }, (_, index) => `text ${index}`);
    const reply = await embedder.embed(texts);
    expect(reply.vectors).toEqual(vectorsFor(texts));
    expect(reply.requests).toBe(3);
    expect(reply.usage?.input_tokens).toBe(texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0));
    const sent = provider.requests.map((request) => request.texts?.length);
    expect(sent).toEqual([embedder.limits.texts, embedder.limits.texts, 1]);
  });

  it('holds a bounded number of bytes', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    const texts = Array.from({ length: 90 }, (_, index) => `${index} ${'word '.repeat(1500)}`);
    const { vectors } = await embedder.embed(texts);
    expect(vectors).toEqual(vectorsFor(texts));
    for (const request of provider.requests) {
      const bytes = request.texts?.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(embedder.limits.bytes);
    }
    expect(provider.requests.length).toBe(3);
  });

  it('holds as few texts as a server wants', async () => {
    const provider = await fake(kind);
    await (await embedderFor(provider, { textsPerRequest: 2 })).embed(['a', 'b', 'c']);
    expect(provider.requests.map(({ texts }) => texts)).toEqual([['a', 'b'], ['c']]);
  });

  it('cuts a text that is too long, and counts it', async () => {
    const provider = await fake(kind);
    const long = ['x y '.repeat(50_000), '三角形'.repeat(20_000), '😀'.repeat(20_000)];
    const { vectors, cut } = await (await embedderFor(provider)).embed([...long, 'short']);
    expect(cut).toBe(3);
    expect(vectors).toHaveLength(4);
    const sent = provider.requests.flatMap(({ texts }) => texts ?? []);
    for (const [index, text] of long.entries()) {
      expect(text.startsWith(sent[index] ?? 'nothing')).toBe(true);
      expect(Buffer.byteLength(sent[index] ?? '')).toBeGreaterThan(7990);
      expect(Buffer.byteLength(sent[index] ?? '')).toBeLessThanOrEqual(8000);
      expect(sent[index]).not.toContain('\uFFFD');
    }
    expect(sent[3]).toBe('short');
  });

  it('replaces what no UTF-8 can carry', async () => {
    const provider = await fake(kind);
    await (await embedderFor(provider)).embed(['a\uD800b 😀 \uDC00']);
    expect(provider.requests[0]?.texts).toEqual(['a\uFFFDb 😀 \uFFFD']);
  });

  it('is not sent for no text, nor for a blank one', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    expect(await embedder.embed([])).toEqual({
      vectors: [],
      usage: { input_tokens: 0 },
      requests: 0,
      estimated: 0,
      cut: 0,
    });
    const error = await failure(embedder.embed(['a', ' \n']));
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false });
    expect(error.message).toBe('text 2 of 2 is blank');
    expect(provider.statistics.calls).toBe(0);
  });

  it('estimates the usage of a request where the provider does not report it', async () => {
    const provider = await fake(kind);
    provider.onCall(2, { kind: 'reply', vectors: [[1]], usage: null });
    const embedder = await embedderFor(provider, { textsPerRequest: 1 });
    expect(await embedder.embed(['a'])).toMatchObject({ usage: { input_tokens: 1 }, estimated: 0 });
    provider.onCall(3, { kind: 'reply', vectors: [[1]] });
    expect(await embedder.embed(['eleven byte', 'b'])).toMatchObject({
      usage: { input_tokens: 4 + 1 },
      requests: 2,
      estimated: 1,
    });
  });
});

describe('a text that is cut', () => {
  it.each([
    ['abcdef', 3, 'abc'],
    ['abc', 3, 'abc'],
    ['äöü', 5, 'äö'],
    ['三角', 5, '三'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['', 5, ''],
  ])('%j to %i bytes is %j', (text, bytes, expected) => {
    expect(cutText(text, bytes)).toBe(expected);
  });
});

describe('an embedder created from a config', () => {
  const settings: EmbedderSettings = { provider: 'openai', model: 'm', timeout_sec: 5 };

  it.each([
    [{ ...settings, model: 'text-embedding-3-small' }, 'openai/text-embedding-3-small bytes=8000'],
    [{ ...settings, base_url: 'https://api.openai.com/v1' }, 'openai/m bytes=8000'],
    [{ ...settings, base_url: 'http://127.0.0.1:8000/v1' }, 'openai/m at 127.0.0.1:8000 bytes=8000'],
    [{ ...settings, dimensions: 256, max_text_bytes: 500 }, 'openai/m dimensions=256 bytes=500'],
    [{ ...settings, provider: 'gemini' as const }, 'gemini/m bytes=8000'],
  ])('%j is known as %s', (given, expected) => {
    expect(embedderIdentity(given)).toBe(expected);
  });

  it('reaches its server with the key of the environment it was given', async () => {
    const provider = await fake('openai');
    const embedder = await createEmbedder(
      { ...settings, base_url: provider.baseUrl, dimensions: 8, max_text_bytes: 4, texts_per_request: 1 },
      { environment: { OPENAI_API_KEY: 'from-environment\n', OPENAI_ORG_ID: 'org' } },
    );
    expect(await embedder.embed(['abcdefg', 'b'])).toMatchObject({
      vectors: vectorsFor(['abcd', 'b'], 8),
      cut: 1,
    });
    expect(embedder.identity).toBe(`openai/m at ${new URL(provider.baseUrl).host} dimensions=8 bytes=4`);
    const headers = provider.requests[0]?.headers;
    expect(headers?.authorization).toBe('Bearer from-environment');
    expect(headers).not.toHaveProperty('openai-organization');
    expect(provider.statistics.calls).toBe(2);
  });

  it('reaches Gemini', async () => {
    const provider = await fake('gemini');
    const embedder = await createEmbedder(
      {
        provider: 'gemini',
        model: 'gemini-embedding-001',
        base_url: `${provider.baseUrl}/v1beta`,
        timeout_sec: 5,
      },
      { environment: { GOOGLE_API_KEY: 'k1' } },
    );
    expect((await embedder.embed(['a'])).vectors).toEqual(vectorsFor(['a']));
    expect(provider.requests[0]?.headers['x-goog-api-key']).toBe('k1');
  });

  it('keeps timeout_sec', async () => {
    const provider = await fake('openai');
    provider.next({ kind: 'hang', when: 'before_headers' });
    const embedder = await createEmbedder(
      { ...settings, base_url: provider.baseUrl, timeout_sec: 0.1 },
      { environment: {} },
    );
    expect((await failure(embedder.embed(['a']))).message).toMatch(/did not answer within 0\.1 s$/);
  });

  it.each(EMBEDDING_KINDS)('is refused without the key of %s', async (provider) => {
    const error = await failure(createEmbedder({ ...settings, provider }, { environment: {} }));
    expect(error).toMatchObject({ kind: 'authentication', fatalForRun: true });
    expect(error.message).toContain('_API_KEY');
  });
});

describe('the cost of vectors', () => {
  it.each([
    ['openai', 'text-embedding-3-small', 0.02],
    ['openai', 'text-embedding-3-large', 0.13],
    ['openai', 'text-embedding-ada-002', 0.1],
    ['gemini', 'gemini-embedding-001', 0.15],
    ['gemini', 'models/gemini-embedding-2-preview', 0.2],
    ['openai', 'nomic-embed-text', null],
  ])('of %s/%s is that of its input', (provider, model, expected) => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    expect(costOf(provider, model, usage)).toBe(expected);
  });
});
