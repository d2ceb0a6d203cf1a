import { describe, expect, it } from 'vitest';
import type { LanguageModelError } from '../../src/language-models/errors.js';
import type { Behaviour } from '../support/fake-providers/behaviours.js';
import { embedWords } from '../support/fake-providers/embeddings.js';
import { EMBEDDING_KINDS, embedderFor } from './embeddings-support.js';
import { failure, fake } from './support.js';

type Expectation = Partial<
  Pick<LanguageModelError, 'kind' | 'status' | 'retryable' | 'fatalForRun' | 'retryAfterMs'>
>;

const MALFORMED: Expectation = { kind: 'malformed_reply', retryable: true };

const CASES: [string, Behaviour, Expectation][] = [
  [
    'a 429 with Retry-After is retried after that time',
    { kind: 'status', status: 429, retryAfter: 17 },
    { kind: 'rate_limited', status: 429, retryable: true, retryAfterMs: 17_000 },
  ],
  ['a 503 is an overload', { kind: 'status', status: 503 }, { kind: 'overloaded', retryable: true }],
  [
    'a 500 is retried',
    { kind: 'status', status: 500 },
    { kind: 'server', retryable: true, fatalForRun: false },
  ],
  [
    'a 401 ends the run',
    { kind: 'status', status: 401 },
    { kind: 'authentication', retryable: false, fatalForRun: true },
  ],
  ['a 402 ends the run', { kind: 'status', status: 402 }, { kind: 'quota_exhausted', fatalForRun: true }],
  ['a 404 ends the run', { kind: 'status', status: 404 }, { kind: 'not_found', fatalForRun: true }],
  [
    'a 400 is final for this call only',
    { kind: 'status', status: 400 },
    { kind: 'bad_request', retryable: false, fatalForRun: false },
  ],
  [
    'a connection reset before the answer is retried',
    { kind: 'reset', when: 'before_headers' },
    { kind: 'connection', retryable: true },
  ],
  [
    'a connection reset in the middle of the answer is retried',
    { kind: 'reset', when: 'mid_body' },
    { kind: 'connection', retryable: true },
  ],
  [
    'an HTML page of status 200 is a malformed reply',
    { kind: 'raw', body: '<html>Welcome</html>' },
    MALFORMED,
  ],
  ['broken JSON is a malformed reply', json('{"data": ['), MALFORMED],
  ['JSON of another shape is a malformed reply', json('{"hello": 1}'), MALFORMED],
  ['null is a malformed reply', json('null'), MALFORMED],
  ['an empty body is a malformed reply', json(''), MALFORMED],
  ['fewer vectors than texts are a malformed reply', { kind: 'reply', vectors: [[1, 2]] }, MALFORMED],
  ['more vectors than texts are a malformed reply', { kind: 'reply', vectors: [[1], [2], [3]] }, MALFORMED],
  ['a vector without numbers is a malformed reply', { kind: 'reply', vectors: [[1], []] }, MALFORMED],
  ['a vector with a null is a malformed reply', { kind: 'reply', vectors: [[1], [null]] }, MALFORMED],
  ['a vector in base64 is a malformed reply', { kind: 'reply', vectors: [[1], 'AACAPw=='] }, MALFORMED],
  ['vectors of two lengths are a malformed reply', { kind: 'reply', vectors: [[1], [1, 2]] }, MALFORMED],
  ['no vectors at all are a malformed reply', { kind: 'reply' }, MALFORMED],
];

function json(body: string): Behaviour {
  return { kind: 'raw', body, contentType: 'application/json' };
}

describe.each(EMBEDDING_KINDS)('the %s embedder', (kind) => {
  it.each(CASES)('%s', async (_name, behaviour, expected) => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    provider.next(behaviour);
    const error = await failure(embedder.embed(['a', 'b']));
    expect(error).toMatchObject({ ...expected, provider: kind });
    expect(error.message).not.toContain('\n');
    expect(error.message.length).toBeLessThan(500);
    expect(provider.statistics.calls, 'the client must not retry by itself').toBe(1);
    const { vectors } = await embedder.embed(['a', 'b']);
    expect(vectors, 'the next call is not affected').toEqual(
      ['a', 'b'].map((text) => Float32Array.from(embedWords(text))),
    );
  });

  it.each(['before_headers', 'mid_body'] as const)('times out a server that hangs %s', async (when) => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider, { timeoutMs: 150 });
    provider.next({ kind: 'hang', when });
    const error = await failure(embedder.embed(['a']));
    expect(error).toMatchObject({ kind: 'timeout', retryable: true });
    expect(error.message).toMatch(new RegExp(`^${kind} at 127.0.0.1:\\d+ did not answer within 0.15 s$`));
  });

  it('gives each request the whole time', async () => {
    const provider = await fake(kind);
    provider.latencyMs = 400;
    const embedder = await embedderFor(provider, { timeoutMs: 1000, textsPerRequest: 1 });
    expect((await embedder.embed(['a', 'b', 'c', 'd'])).requests).toBe(4);
  });

  it('reports a cancellation as such, drops the request, and sends no other', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider, { textsPerRequest: 1 });
    provider.onCall(2, { kind: 'hang', when: 'before_headers' });
    const controller = new AbortController();
    const call = embedder.embed(['a', 'b', 'c'], { signal: controller.signal });
    await expect.poll(() => provider.statistics.calls).toBe(2);
    controller.abort(new Error('stop'));
    expect(await failure(call)).toMatchObject({ kind: 'cancelled', retryable: false, fatalForRun: false });
    await expect.poll(() => provider.statistics.inFlight).toBe(0);
    expect(provider.statistics.calls).toBe(2);
    expect((await failure(embedder.embed(['a'], { signal: controller.signal }))).kind).toBe('cancelled');
    expect(provider.statistics.calls).toBe(2);
  });

  it('reports a refused connection as retryable, since a server may be starting', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    await provider.close();
    const error = await failure(embedder.embed(['a']));
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('never shows a key, even if the server echoes it', async () => {
    const provider = await fake(kind);
    const embedder = await embedderFor(provider, { apiKey: 'plainsecretvalue' });
    provider.next({ kind: 'status', status: 401, message: 'wrong key plainsecretvalue' });
    const error = await failure(embedder.embed(['a']));
    expect(error.message).toContain('wrong key ***');
    expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain('plainsecret');
  });

  it('ends the run when the server takes no notice of the length it was asked for', async () => {
    const provider = await fake(kind, { embed: (text) => embedWords(text, 64) });
    const error = await failure((await embedderFor(provider, { dimensions: 8 })).embed(['a']));
    expect(error).toMatchObject({ kind: 'configuration', retryable: false, fatalForRun: true });
    expect(error.message).toContain('sent vectors of 64 numbers where 8 were asked for');
  });
});

it("Google's RetryInfo says how long to wait", async () => {
  const provider = await fake('gemini');
  provider.next({ kind: 'status', status: 429, retryDelay: '17.5s' });
  const error = await failure((await embedderFor(provider)).embed(['a']));
  expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 17_500 });
});
