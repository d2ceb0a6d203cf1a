import { describe, expect, test } from 'vitest';
import { LanePool } from '../../../../src/kinds/run/lane/lane-pool.js';
import { createRandom } from '../../../../src/statistics/random.js';

/** Lets everything that can continue continue. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A pool over the numbers below `count`, whose lanes end when they are told to. */
function pool(size: number, count: number) {
  const going = new Map<number, { end(): void; fail(error: Error): void }>();
  const started: number[] = [];
  let next = 0;
  const lanes = new LanePool<number>(
    size,
    () => (next < count ? next++ : undefined),
    (item) => {
      started.push(item);
      return new Promise<void>((resolve, reject) => {
        const leave = (how: () => void) => {
          going.delete(item);
          how();
        };
        going.set(item, { end: () => leave(resolve), fail: (error) => leave(() => reject(error)) });
      });
    },
  );
  let outcome: string | undefined;
  const run = () =>
    lanes.run().then(
      () => {
        outcome = 'finished';
      },
      (error: Error) => {
        outcome = error.message;
      },
    );
  return { lanes, going, started, run, outcome: () => outcome };
}

describe('concurrency', () => {
  test('as many lanes go as the size says, and a free place is taken in order', async () => {
    const { going, started, run } = pool(2, 4);
    void run();
    expect(started).toEqual([0, 1]);
    going.get(1)?.end();
    await settle();
    expect(started).toEqual([0, 1, 2]);
    expect([...going.keys()]).toEqual([0, 2]);
  });

  test('never more than the size at its largest, and every item once, whatever the size does', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = createRandom(`pool ${seed}`);
      const { lanes, going, started, run, outcome } = pool(3, 40);
      const ended = run();
      let size = 3;
      while (outcome() === undefined) {
        if (random() < 0.2) {
          size = 1 + Math.floor(random() * 6);
          const before = going.size;
          lanes.setSize(size);
          expect(going.size).toBeLessThanOrEqual(Math.max(size, before));
        }
        const keys = [...going.keys()];
        going.get(keys[Math.floor(random() * keys.length)] as number)?.end();
        await settle();
        expect(going.size).toBeLessThanOrEqual(Math.max(size, keys.length - 1));
      }
      await ended;
      expect(started).toEqual(Array.from({ length: 40 }, (_, index) => index));
    }
  });

  test('a larger size starts lanes at once; a smaller one stops none', async () => {
    const { lanes, going, started, run } = pool(1, 10);
    void run();
    lanes.setSize(4);
    expect(started).toEqual([0, 1, 2, 3]);
    lanes.setSize(1);
    expect(going.size).toBe(4);
    for (const item of [0, 1, 2]) going.get(item)?.end();
    await settle();
    expect([...going.keys()]).toEqual([3]);
  });

  test('a pool of size 0 waits for a larger one', async () => {
    const { lanes, going, run, outcome } = pool(0, 1);
    const ended = run();
    await settle();
    expect(outcome()).toBeUndefined();
    lanes.setSize(1);
    going.get(0)?.end();
    await ended;
    expect(outcome()).toBe('finished');
  });
});

describe('the end', () => {
  test('without items it is finished at once', async () => {
    const { run, outcome } = pool(3, 0);
    await run();
    expect(outcome()).toBe('finished');
  });

  test('a lane that rejects lets no other begin, and the pool rejects once the others have ended', async () => {
    const { going, started, run, outcome } = pool(2, 5);
    const ended = run();
    going.get(0)?.fail(new Error('first'));
    await settle();
    expect(started).toEqual([0, 1]);
    expect(outcome()).toBeUndefined();
    going.get(1)?.fail(new Error('second'));
    await ended;
    expect(outcome()).toBe('first');
  });

  test('told to fail, it rejects once the lanes that are going have ended', async () => {
    const { lanes, going, started, run, outcome } = pool(1, 2);
    const ended = run();
    lanes.fail(new Error('cancelled'));
    await settle();
    expect(outcome()).toBeUndefined();
    going.get(0)?.end();
    await ended;
    expect(outcome()).toBe('cancelled');
    expect(started).toEqual([0]);
  });

  test('without a lane that could go it waits, until it is told to fail', async () => {
    const { lanes, run, outcome } = pool(0, 2);
    const ended = run();
    await settle();
    expect(outcome()).toBeUndefined();
    lanes.fail(new Error('cancelled'));
    await ended;
    expect(outcome()).toBe('cancelled');
  });
});
