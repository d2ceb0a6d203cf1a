import { beforeEach, describe, expect, it } from 'vitest';
import { AdaptiveLimit, callOutcome, type Release } from '../../src/language-models/adaptive-limit.js';
import { LanguageModelError } from '../../src/language-models/errors.js';

let time = 0;
beforeEach(() => {
  time = 0;
});

function limitOf(maximum: number, options = {}) {
  return new AdaptiveLimit({ maximum, now: () => time, ...options });
}

async function succeed(limit: AdaptiveLimit, times: number) {
  for (let count = 0; count < times; count++) (await limit.acquire())('success');
}

describe('the adaptive limit', () => {
  it('admits up to its maximum and then in the order of arrival', async () => {
    const limit = limitOf(2);
    const order: number[] = [];
    const releases: Release[] = [];
    const calls = [0, 1, 2, 3, 4].map(async (number) => {
      releases.push(await limit.acquire());
      order.push(number);
    });
    await Promise.all(calls.slice(0, 2));
    expect([limit.inFlight, limit.waiting]).toEqual([2, 3]);
    releases[0]?.('success');
    releases[1]?.('success');
    await Promise.all(calls.slice(2, 4));
    releases[2]?.('other');
    await Promise.all(calls);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect([limit.inFlight, limit.waiting]).toEqual([2, 0]);
  });

  it('counts a place that is given back twice only once', async () => {
    const limit = limitOf(1);
    const release = await limit.acquire();
    release('success');
    release('success');
    expect(limit.inFlight).toBe(0);
    await limit.acquire();
    expect(limit.inFlight).toBe(1);
  });

  it('lets a waiting call be cancelled without taking a place or losing the order', async () => {
    const limit = limitOf(1);
    const first = await limit.acquire();
    const controller = new AbortController();
    const cancelled = limit.acquire(controller.signal);
    const third = limit.acquire();
    controller.abort(new Error('stop'));
    await expect(cancelled).rejects.toThrow('stop');
    expect(limit.waiting).toBe(1);
    first('success');
    (await third)('success');
    expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
    await expect(limit.acquire(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(limit.inFlight).toBe(0);
  });

  it('shrinks by a fifth on a 429, once a cool-down, and never below one', async () => {
    const limit = limitOf(10);
    const burst = await Promise.all(Array.from({ length: 10 }, () => limit.acquire()));
    for (const release of burst) release('rate_limited');
    expect(limit.limit).toBe(8);
    time = 14_999;
    (await limit.acquire())('rate_limited');
    expect(limit.limit).toBe(8);
    for (let cut = 1; cut < 20; cut++) {
      time += 15_000;
      (await limit.acquire())('rate_limited');
    }
    expect(limit.limit).toBe(1);
  });

  it('admits nobody new while more are in flight than a cut has left', async () => {
    const limit = limitOf(5);
    const releases = await Promise.all(Array.from({ length: 5 }, () => limit.acquire()));
    const next = limit.acquire();
    releases[0]?.('rate_limited');
    expect([limit.limit, limit.inFlight, limit.waiting]).toEqual([4, 4, 1]);
    releases[1]?.('other');
    await next;
    expect(limit.inFlight).toBe(4);
  });

  it('grows by one for every full round of successes, up to the maximum', async () => {
    const limit = limitOf(10);
    (await limit.acquire())('rate_limited');
    time = 15_000;
    await succeed(limit, 7);
    expect(limit.limit).toBe(8);
    await succeed(limit, 1);
    expect(limit.limit).toBe(9);
    await succeed(limit, 9 + 1000);
    expect(limit.limit).toBe(10);
  });

  it('does not grow for a while after a 5xx, which does not shrink it', async () => {
    const limit = limitOf(10);
    (await limit.acquire())('rate_limited');
    time = 15_000;
    (await limit.acquire())('server_error');
    await succeed(limit, 100);
    expect(limit.limit).toBe(8);
    time = 30_000;
    await succeed(limit, 8);
    expect(limit.limit).toBe(9);
  });

  it('lets thousands wait without losing one', async () => {
    const limit = limitOf(7);
    let most = 0;
    await Promise.all(
      Array.from({ length: 5000 }, async (_, index) => {
        const release = await limit.acquire();
        most = Math.max(most, limit.inFlight);
        await Promise.resolve();
        release(index % 50 === 0 ? 'rate_limited' : 'success');
      }),
    );
    expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
    expect(most).toBe(7);
  });

  it.each([
    ['rate_limited', 'rate_limited'],
    ['overloaded', 'server_error'],
    ['server', 'server_error'],
    ['bad_request', 'other'],
    ['connection', 'other'],
  ] as const)('reads %s as %s', (kind, outcome) => {
    expect(callOutcome(new LanguageModelError(kind, 'x', { provider: 'openai' }))).toBe(outcome);
  });

  it('reads an error of another kind as nothing', () => {
    expect(callOutcome(new Error('x'))).toBe('other');
  });
});
