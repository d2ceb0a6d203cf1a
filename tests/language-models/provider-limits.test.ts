import { describe, expect, it } from 'vitest';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { stranger } from '../support/stranger.js';
import { embedderFor } from './embeddings-support.js';
import { failure, fake, modelFor, request } from './support.js';

const KINDS: ProviderKind[] = ['openai', 'gemini', 'anthropic'];

describe.each(KINDS)('%s', (kind) => {
  it('takes no reply of more bytes than it may have', async () => {
    const provider = await fake(kind);
    provider.next({ kind: 'flood', bytes: 1_100_000 });
    const model = await modelFor(provider, { maxReplyMb: 1 });
    expect(await failure(model.generate(request()))).toMatchObject({
      kind: 'reply_too_long',
      message: expect.stringMatching(
        /^\w+ at 127\.0\.0\.1:\d+ answered with more than 1 MB; lm\.max_reply_mb allows more$/,
      ),
      retryable: false,
      fatalForRun: false,
    });
    provider.next({ kind: 'flood', bytes: 900_000 });
    expect(await failure(model.generate(request()))).toMatchObject({ kind: 'malformed_reply' });
    expect(await model.generate(request())).toMatchObject({ text: '107' });
  });

  it('counts the bytes after unpacking, and hangs up on a body without an end', async () => {
    const provider = await fake(kind);
    const model = await modelFor(provider);
    for (const bytes of [100_000_000, Number.POSITIVE_INFINITY]) {
      for (const packed of [true, false]) {
        provider.next({ kind: 'flood', bytes, packed });
        expect(await failure(model.generate(request()))).toMatchObject({
          kind: 'reply_too_long',
          message: expect.stringContaining('more than 4 MB'),
        });
      }
    }
    await expect.poll(() => provider.statistics.inFlight).toBe(0);
  });

  it('reads the beginning of an error’s body alone, and keeps its status', async () => {
    const provider = await fake(kind);
    provider.next({ kind: 'flood', bytes: Number.POSITIVE_INFINITY, packed: true, status: 503 });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error).toMatchObject({ kind: 'overloaded', status: 503 });
    expect(error.message.length).toBeLessThan(500);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect of %i, so no key goes along', async (status) => {
    const other = await stranger();
    const provider = await fake(kind);
    const location = `http://somebody:word@${other.host}/v1?token=hidden`;
    provider.next({ kind: 'status', status, headers: { location } });
    const error = await failure((await modelFor(provider)).generate(request()));
    expect(error).toMatchObject({ kind: 'redirected', status, fatalForRun: true });
    expect(error.message).toContain(`redirects to ${other.host} (HTTP ${status})`);
    expect(error.message).not.toContain('hidden');
    expect(other.headers).toEqual([]);
  });
});

describe.each(['openai', 'gemini'] as const)('the embedding model of %s', (kind) => {
  it('follows no redirect, and takes no answer without an end', async () => {
    const other = await stranger();
    const provider = await fake(kind);
    const embedder = await embedderFor(provider);
    provider.next({ kind: 'status', status: 307, headers: { location: `http://${other.host}/` } });
    expect(await failure(embedder.embed(['text']))).toMatchObject({ kind: 'redirected' });
    expect(other.headers).toEqual([]);
    provider.next({ kind: 'flood', bytes: Number.POSITIVE_INFINITY, packed: true });
    expect(await failure(embedder.embed(['text']))).toMatchObject({
      kind: 'reply_too_long',
      message: expect.stringMatching(/answered with more than 64 MB$/),
    });
  });
});
