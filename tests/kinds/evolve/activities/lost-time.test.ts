import { describe, expect, test } from 'vitest';
import type { Span } from '../../../../src/activities/model-calls.js';
import { LostTime } from '../../../../src/kinds/evolve/activities/lost-time.js';
import { blockEventLoop } from '../../../sandboxes/limits.js';

describe('the time that a program loses', () => {
  test.each<[string, [Span, (Span | null)?][], number]>([
    ['nothing', [], 0],
    ['one wait', [[[0, 2000]]], 2],
    ['waits after each other', [[[0, 1000]], [[3000, 4000]]], 2],
    ['waits at the same time, once', [[[0, 3000]], [[1000, 2000]], [[2000, 5000]]], 5],
    [
      'what is around the model’s work',
      [
        [
          [0, 5000],
          [1000, 4000],
        ],
      ],
      2,
    ],
    [
      'what another thread loses while the model works',
      [
        [
          [0, 5000],
          [0, 5000],
        ],
        [[1000, 2000]],
      ],
      1,
    ],
    ['nothing after the end', [[[9000, 20_000]], [[12_000, 13_000]]], 1],
  ])('is %s', (_name, waits, seconds) => {
    const lost = new LostTime();
    for (const [span, worked] of waits) lost.add(span, worked);
    expect(lost.secondsUntil(10_000)).toBe(seconds);
  });

  test('is also that in which the event loop is busy, and no other', async () => {
    const lost = new LostTime();
    const stop = lost.watchEventLoop();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(lost.secondsUntil(performance.now())).toBe(0);
    blockEventLoop(500);
    stop();
    const seconds = lost.secondsUntil(performance.now());
    expect(seconds).toBeGreaterThan(0.35);
    expect(seconds).toBeLessThan(1);
  });
});
