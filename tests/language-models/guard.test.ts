import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { GenerateReply } from '../../src/contracts/language-model.js';
import { guard } from '../../src/language-models/guard.js';
import { providerFetch } from '../../src/language-models/provider-fetch.js';
import { failure, fake, request } from './support.js';

const reply: GenerateReply = { text: 'x', finish_reason: 'stop' };

describe('the guard around every adapter', () => {
  it('settles at the deadline even if the client never does', async () => {
    const model = guard({ provider: 'p', timeoutMs: 20 }, () => new Promise(() => {}));
    expect(await failure(model.generate(request()))).toMatchObject({
      kind: 'timeout',
      message: 'p did not answer within 0.02 s',
    });
  });

  it('settles on a cancellation even if the client never does', async () => {
    const model = guard({ provider: 'p', timeoutMs: 60_000 }, () => new Promise(() => {}));
    const controller = new AbortController();
    const call = model.generate(request(), { signal: controller.signal });
    controller.abort();
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });
  });

  it('leaves no unhandled rejection when the client fails after the deadline', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const model = guard({ provider: 'p', timeoutMs: 10 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      throw new Error('too late');
    });
    await failure(model.generate(request()));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });

  it('leaves nothing behind on a signal that outlives its calls', async () => {
    const controller = new AbortController();
    const model = guard({ provider: 'p', timeoutMs: 60_000 }, async () => reply);
    for (let call = 0; call < 50; call++) await model.generate(request(), { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('does not fire at once when the deadline is longer than a timer can be', async () => {
    const model = guard({ provider: 'p', timeoutMs: 2 ** 40 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return reply;
    });
    expect(await model.generate(request())).toBe(reply);
  });

  it('classifies what an adapter throws synchronously', async () => {
    const model = guard({ provider: 'p', timeoutMs: 1000 }, () => {
      throw new SyntaxError('Unexpected token');
    });
    expect(await failure(model.generate(request()))).toMatchObject({ kind: 'malformed_reply' });
  });
});

describe('the fetch of every adapter', () => {
  it('switches off the 300 s that undici waits at most', async () => {
    const provider = await fake('openai');
    await fetch(provider.baseUrl);
    const global = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')];
    const dispatch = vi.spyOn(global as { dispatch(options: object, handler: object): boolean }, 'dispatch');
    const ask = providerFetch({ provider: 'openai', serverName: 'openai', maxReplyMb: 1 });
    expect((await ask(provider.baseUrl)).status).toBe(404);
    expect(dispatch.mock.lastCall?.[0]).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
    dispatch.mockRestore();
  });
});
