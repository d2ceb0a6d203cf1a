import { describe, expect, it } from 'vitest';
import { LanguageModelError } from '../../src/language-models/errors.js';
import type { Behaviour, ProviderKind } from '../support/fake-providers/behaviours.js';
import { failure, fake, modelFor, request } from './support.js';

const KINDS: ProviderKind[] = ['openai', 'gemini', 'anthropic', 'bedrock'];

type Expectation = Partial<
  Pick<LanguageModelError, 'kind' | 'status' | 'retryable' | 'fatalForRun' | 'retryAfterMs'>
>;

const CASES: [string, Behaviour, Expectation][] = [
  [
    'a 429 with Retry-After in seconds is retried after that time',
    { kind: 'status', status: 429, retryAfter: 17 },
    { kind: 'rate_limited', status: 429, retryable: true, retryAfterMs: 17_000 },
  ],
  [
    'a 503 with an absurd Retry-After waits ten minutes at most',
    { kind: 'status', status: 503, retryAfter: 86_400 },
    { kind: 'overloaded', retryable: true, retryAfterMs: 600_000 },
  ],
  [
    'retry-after-ms is understood',
    { kind: 'status', status: 429, headers: { 'retry-after-ms': '1500' } },
    { kind: 'rate_limited', retryAfterMs: 1500 },
  ],
  ['a 529 is an overload', { kind: 'status', status: 529 }, { kind: 'overloaded', retryable: true }],
  [
    'a 500 is retried',
    { kind: 'status', status: 500 },
    { kind: 'server', retryable: true, fatalForRun: false },
  ],
  ['a 408 is a timeout', { kind: 'status', status: 408 }, { kind: 'timeout', retryable: true }],
  [
    'a 401 ends the run',
    { kind: 'status', status: 401 },
    { kind: 'authentication', retryable: false, fatalForRun: true },
  ],
  [
    'a 403 that names the account ends the run',
    { kind: 'status', status: 403, message: 'This account may not use the model.' },
    { kind: 'authentication', fatalForRun: true },
  ],
  [
    'a 403 page, as of a firewall, may be of the prompt',
    {
      kind: 'raw',
      status: 403,
      body: '<html><head><title>403 Forbidden</title></head><body>You are unable to access this account</body></html>',
    },
    { kind: 'forbidden', status: 403, fatalForRun: true },
  ],
  [
    'a 402 ends the run',
    { kind: 'status', status: 402 },
    { kind: 'quota_exhausted', retryable: false, fatalForRun: true },
  ],
  [
    'a 404 ends the run',
    { kind: 'status', status: 404 },
    { kind: 'not_found', retryable: false, fatalForRun: true },
  ],
  [
    'a 400 is final for this call only',
    { kind: 'status', status: 400 },
    { kind: 'bad_request', retryable: false, fatalForRun: false },
  ],
  [
    'a 422 is final for this call only',
    { kind: 'status', status: 422 },
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
    { kind: 'raw', body: '<html><body>Welcome</body></html>' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'broken JSON is a malformed reply',
    { kind: 'raw', body: '{"choices": [', contentType: 'application/json' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'JSON of another shape is a malformed reply',
    { kind: 'raw', body: '{"hello": 1}', contentType: 'application/json' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'JSON that is no object is a malformed reply',
    { kind: 'raw', body: '"hello"', contentType: 'application/json' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'null is a malformed reply',
    { kind: 'raw', body: 'null', contentType: 'application/json' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'an empty body is a malformed reply',
    { kind: 'raw', body: '', contentType: 'application/json' },
    { kind: 'malformed_reply', retryable: true },
  ],
  [
    'a 502 with a page that claims to be JSON is still a 502',
    { kind: 'raw', status: 502, body: '<html>Bad gateway</html>', contentType: 'application/json' },
    { kind: 'server', status: 502, retryable: true },
  ],
  [
    'a 503 HTML page is an overload',
    { kind: 'raw', status: 503, body: '<html><title>503</title><body>No server is available</body></html>' },
    { kind: 'overloaded', status: 503 },
  ],
];

describe.each(KINDS)('the %s adapter', (kind) => {
  it.each(CASES)('%s', async (_name, behaviour, expected) => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    provider.next(behaviour);
    const error = await failure(model.generate(request()));
    expect(error).toMatchObject({ ...expected, provider: kind });
    expect(error.message).not.toContain('\n');
    expect(error.message.length).toBeLessThan(500);
    expect(provider.statistics.calls, 'the client must not retry by itself').toBe(1);
    expect((await model.generate(request())).text, 'the next call is not affected').toBe('107');
  });

  it.each(['before_headers', 'mid_body'] as const)('times out a server that hangs %s', async (when) => {
    const provider = await fake(kind);
    const model = await modelFor(provider, { timeoutMs: 150 });
    provider.next({ kind: 'hang', when });
    const error = await failure(model.generate(request()));
    expect(error).toMatchObject({ kind: 'timeout', retryable: true });
    expect(error.message).toMatch(new RegExp(`^${kind} at 127.0.0.1:\\d+ did not answer within 0.15 s$`));
  });

  it('reports a cancellation as such, and drops the request', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    provider.next({ kind: 'hang', when: 'before_headers' });
    const controller = new AbortController();
    const call = model.generate(request(), { signal: controller.signal });
    await expect.poll(() => provider.statistics.inFlight).toBe(1);
    controller.abort(new Error('stop'));
    expect(await failure(call)).toMatchObject({ kind: 'cancelled', retryable: false, fatalForRun: false });
    await expect.poll(() => provider.statistics.inFlight).toBe(0);
  });

  it('sends nothing when the signal is aborted already', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    const error = await failure(model.generate(request(), { signal: AbortSignal.abort() }));
    expect(error.kind).toBe('cancelled');
    expect(provider.statistics.calls).toBe(0);
  });

  it('reports a refused connection as retryable, since a server may be starting', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    await provider.close();
    const error = await failure(model.generate(request()));
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('survives a server that cut the kept-alive connection', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    await model.generate(request());
    provider.dropConnections();
    const second = await model.generate(request()).catch((error: unknown) => error);
    // undici may not have seen the cut yet: then the error says so, and a retry gets a new connection.
    if (second instanceof LanguageModelError)
      expect(second).toMatchObject({ kind: 'connection', retryable: true });
    expect((await model.generate(request())).text).toBe('107');
  });

  it('never shows a key, even if the server echoes it', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider, { apiKey: 'plainsecretvalue' });
    provider.next({
      kind: 'status',
      status: 401,
      message: 'wrong key plainsecretvalue or sk-proj-abcdef123456',
    });
    const error = await failure(model.generate(request()));
    expect(error.message).toContain('wrong key *** or ***');
    expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain('plainsecret');
  });

  it("keeps a provider's long message to one bounded line", async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    provider.next({ kind: 'status', status: 400, message: `the prompt\nis bad ${'x'.repeat(100_000)}` });
    const error = await failure(model.generate(request()));
    expect(error.message).toMatch(/refused the request \(HTTP 400\): the prompt is bad x+…$/);
    expect(error.message.length).toBeLessThan(500);
  });

  it('sends the idempotency key', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    await model.generate(request(), { idempotencyKey: 'key-1' });
    await model.generate(request(), { idempotencyKey: 'key-1' });
    expect(provider.requests[0]?.key).toBe('key-1');
    expect(provider.statistics).toMatchObject({ calls: 2, finished: 2, repeated: 1, distinctKeys: 1 });
  });

  it('reports an empty reply and a cut-off reply as what they are', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    provider.next(
      { kind: 'reply', text: '', usage: { input: 5, output: 0 } },
      { kind: 'reply', text: 'The answer is', finish: 'length' },
      { kind: 'reply', text: '', finish: 'content_filter' },
      { kind: 'reply', text: 'hello', usage: null },
    );
    expect(await model.generate(request())).toMatchObject({ text: '', finish_reason: 'stop' });
    expect(await model.generate(request())).toMatchObject({ text: 'The answer is', finish_reason: 'length' });
    expect(await failure(model.generate(request()))).toMatchObject({
      kind: 'content_filter',
      retryable: false,
    });
    expect((await model.generate(request())).usage).toBeUndefined();
  });

  it('keeps apart what is in flight at once', async () => {
    const provider = await fake(kind, { latencyMs: 30 });
    const model = await modelFor(provider);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => model.generate(request(`What is ${index} + 1?`))),
    );
    expect(replies.map(({ text }) => text)).toEqual(replies.map((_, index) => String(index + 1)));
    expect(provider.statistics.maxInFlight).toBeGreaterThan(10);
  });
});

it("takes the wait from Google's RetryInfo", async () => {
  const provider = await fake('gemini');
  provider.next({ kind: 'status', status: 429, retryDelay: '17.5s' });
  const error = await failure((await modelFor(provider)).generate(request()));
  expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 17_500 });
});

it('recognises the 400 with which Gemini refuses a key', async () => {
  const provider = await fake('gemini');
  provider.next({ kind: 'status', status: 400, message: 'API key not valid. Please pass a valid API key.' });
  const error = await failure((await modelFor(provider)).generate(request()));
  expect(error).toMatchObject({ kind: 'authentication', fatalForRun: true });
});

it("does not retry OpenAI's insufficient_quota", async () => {
  const provider = await fake('openai');
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  provider.next({ kind: 'status', status: 429, code: 'insufficient_quota', message });
  const error = await failure((await modelFor(provider)).generate(request()));
  expect(error).toMatchObject({ kind: 'quota_exhausted', retryable: false, fatalForRun: true });
});

it('does not retry a request that is larger than the limit per minute', async () => {
  const provider = await fake('openai');
  const message = 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.';
  provider.next({ kind: 'status', status: 429, code: 'rate_limit_exceeded', message });
  const error = await failure((await modelFor(provider)).generate(request()));
  expect(error).toMatchObject({ kind: 'bad_request', retryable: false, fatalForRun: false });
});

it("ends the run when Anthropic's credit is used up, although the status is 400", async () => {
  const provider = await fake('anthropic');
  provider.next({
    kind: 'status',
    status: 400,
    message: 'Your credit balance is too low to access the API.',
  });
  const error = await failure((await modelFor(provider)).generate(request()));
  expect(error).toMatchObject({ kind: 'quota_exhausted', fatalForRun: true });
});
