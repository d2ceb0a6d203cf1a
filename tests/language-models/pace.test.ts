import { describe, expect, test, vi } from 'vitest';
import { CallPacer } from '../../src/language-models/pace.js';

/** Milliseconds from the beginning at which each of these calls starts. */
async function starts(pace: CallPacer, signals: (AbortSignal | undefined)[]): Promise<(number | string)[]> {
  const begun = performance.now();
  return Promise.all(
    signals.map((signal) =>
      pace.wait(signal).then(
        () => performance.now() - begun,
        (error: Error) => error.message,
      ),
    ),
  );
}

describe('calls at a rate', () => {
  test('start one after the other, evenly, in the order in which they came', async () => {
    const times = (await starts(new CallPacer(20), [undefined, undefined, undefined, undefined])) as number[];
    expect([...times].sort((left, right) => left - right)).toEqual(times);
    expect(times[0]).toBeLessThan(40);
    expect(times[3]).toBeGreaterThan(140);
  });

  test('leave no gap where some are given up', async () => {
    const given = new AbortController();
    const pace = new CallPacer(10);
    const waiting = starts(pace, [undefined, given.signal, given.signal, given.signal, undefined]);
    given.abort(new Error('not wanted'));
    const times = await waiting;
    expect(times.slice(1, 4)).toEqual(['not wanted', 'not wanted', 'not wanted']);
    expect(times[4]).toBeGreaterThan(90);
    expect(times[4]).toBeLessThan(290);
    await expect(pace.wait(given.signal)).rejects.toThrow('not wanted');
  });

  test('do not wait for a rate that was left unused, nor make up for it in a burst', async () => {
    const pace = new CallPacer(20);
    await pace.wait();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [first, second] = (await starts(pace, [undefined, undefined])) as [number, number];
    expect(first).toBeLessThan(30);
    expect(second).toBeGreaterThan(40);
  });

  test('start when they are leased to, however often nobody answers', async () => {
    vi.useFakeTimers();
    const leased: number[] = [];
    const pace = new CallPacer(4, async (count) => {
      leased.push(count);
      if (leased.length === 1) throw new Error('no server');
      return leased.length === 2 ? 500 : 0;
    });
    const waiting = starts(pace, Array(6).fill(undefined));
    await vi.runAllTimersAsync();
    const times = (await waiting) as number[];
    vi.useRealTimers();
    // One is asked for again after a second; those that came meanwhile are leased a second's worth at a time.
    expect(leased).toEqual([1, 4, 2]);
    expect(times.map((time) => Math.round(time / 50) * 50)).toEqual([1500, 1750, 2000, 2250, 2250, 2500]);
  });

  test('wait for nothing without one', async () => {
    const times = (await starts(new CallPacer(null), Array(100).fill(undefined))) as number[];
    expect(Math.max(...times)).toBeLessThan(100);
  });
});
