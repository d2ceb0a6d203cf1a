import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/language-models/classify-error.js';
import { tidyErrorText } from '../../src/language-models/error-text.js';
import { readRetryAfter } from '../../src/language-models/retry-after.js';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('the wait a provider asks for', () => {
  it.each([
    [{ 'retry-after': '17' }, 17_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '99999999' }, 600_000],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '17' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '17' }, 17_000],
    [{}, undefined],
  ])('%j is %s ms', (headers, expected) => {
    expect(readRetryAfter(new Headers(headers as Record<string, string>), undefined, now)).toBe(expected);
  });

  it.each([
    [[{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }], 34_000],
    [[{ violations: [] }, { retryDelay: '0.75s' }], 750],
    [[{ retryDelay: '2h' }], undefined],
    [[null, 'x'], undefined],
    ['no list', undefined],
  ])("Google's details %j are %s ms", (details, expected) => {
    expect(readRetryAfter(undefined, { details }, now)).toBe(expected);
  });
});

describe('the classifier', () => {
  const classify = (error: unknown, context = {}) => classifyError(error, { provider: 'gemini', ...context });

  it("finds the socket's error code below what fetch throws", () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(classify(new TypeError('fetch failed', { cause: reset })).message).toBe(
      'the connection to gemini failed (ECONNRESET): fetch failed',
    );
    const addresses = new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]);
    expect(classify(new TypeError('fetch failed', { cause: addresses }))).toMatchObject({
      kind: 'connection',
    });
    const slow = Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    expect(classify(new TypeError('fetch failed', { cause: slow }))).toMatchObject({
      kind: 'timeout',
      retryable: true,
    });
    expect(classify(new TypeError('terminated'))).toMatchObject({ kind: 'connection' });
  });

  it('tells a timeout from a cancellation, although both are AbortErrors', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    expect(classify(aborted, { timedOutAfterMs: 60_000, aborted: true })).toMatchObject({
      kind: 'timeout',
      message: 'gemini did not answer within 60 s',
    });
    expect(classify(aborted, { aborted: true })).toMatchObject({ kind: 'cancelled', retryable: false });
  });

  it("takes a prompt that a gateway's filter stopped for one call's fault", () => {
    const error = Object.assign(new Error('403 Input was flagged by moderation'), { status: 403 });
    expect(classify(error)).toMatchObject({ kind: 'bad_request', fatalForRun: false });
  });

  it('survives a loop of causes and things that are no errors', () => {
    const loop: { cause?: unknown } = new Error('round');
    loop.cause = loop;
    expect(classify(loop)).toMatchObject({ kind: 'unknown', retryable: true });
    expect(classify('just text').message).toContain('just text');
    expect(classify(undefined).kind).toBe('unknown');
    expect(classify(null).kind).toBe('unknown');
  });

  it('carries no cause, since that would end up in a history', () => {
    const error = classify(
      Object.assign(new Error('503 x'), { status: 503, headers: new Headers({ 'x-secret': 's' }) }),
    );
    expect(error.cause).toBeUndefined();
    expect(Object.keys(error).sort()).toEqual([
      'fatalForRun',
      'isUnsent',
      'kind',
      'name',
      'provider',
      'retryAfterMs',
      'retryable',
      'status',
      'usage',
    ]);
  });
});

describe('the text of an error', () => {
  it.each([
    [
      '<html><head><style>a{b}</style><title>502</title></head>\n<body><h1>Bad  gateway</h1></body></html>',
      '502 Bad gateway',
    ],
    [
      'Incorrect API key provided: sk-abcd********wxyz. See the docs.',
      'Incorrect API key provided: *** See the docs.',
    ],
    ['key AIzaSyA1234567890abcdefghij was refused', 'key *** was refused'],
    ['authorization: Bearer abc.def-ghi rejected', 'authorization: *** rejected'],
    ['2 < 3 and 5 > 4', '2 < 3 and 5 > 4'],
  ])('%j is shown as %j', (text, expected) => {
    expect(tidyErrorText(text)).toBe(expected);
  });

  it('is cut before it is searched, which takes minutes for one as long as this', () => {
    expect(tidyErrorText(`<${'<a '.repeat(1_000_000)}`).length).toBeLessThanOrEqual(300);
  });
});
