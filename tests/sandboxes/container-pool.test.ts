import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotBegunError } from '../../src/sandboxes/container-execution.js';
import { ContainerPool, IDLE_MS } from '../../src/sandboxes/container-pool.js';
import type { WaitingContainer } from '../../src/sandboxes/container-start.js';
import type { ExecutionLimits } from '../../src/sandboxes/sandbox.js';
import { LIMITS } from './limits.js';

/** Starts containers that are nothing but a number, when the test says so, and notes what becomes of them. */
class FakeSource {
  readonly started: { limits: ExecutionLimits; signal: AbortSignal }[] = [];
  readonly discarded: number[] = [];
  /** What a start comes to, by its number from 0; without it, it succeeds at once. */
  outcome: (number: number) => Promise<void> = async () => {};
  private readonly ends = new Map<number, () => void>();

  start = async (limits: ExecutionLimits, signal: AbortSignal): Promise<WaitingContainer> => {
    const number = this.started.push({ limits, signal }) - 1;
    await this.outcome(number);
    signal.throwIfAborted();
    let hasEnded = false;
    const answer = new Promise<null>((resolve) => {
      this.ends.set(number, () => {
        hasEnded = true;
        resolve(null);
      });
    });
    const conversation = { answer, hasEnded: () => hasEnded };
    return { container: { id: String(number) }, conversation } as unknown as WaitingContainer;
  };

  discard = (container: WaitingContainer): void => {
    this.discarded.push(numberOf(container));
  };

  /** As `docker kill` does. */
  kill(number: number): void {
    this.ends.get(number)?.();
  }
}

const numberOf = ({ container }: WaitingContainer) => Number(container.id);
const signal = new AbortController().signal;

describe('containers started ahead of their programs', () => {
  let source: FakeSource;
  let pool: ContainerPool;

  beforeEach(() => {
    vi.useFakeTimers();
    source = new FakeSource();
    pool = new ContainerPool(source);
  });
  afterEach(() => void vi.useRealTimers());

  /** The number of the container that a program would have run in. */
  const use = (limits = LIMITS, action: (number: number) => Promise<void> = async () => {}) =>
    pool.use(limits, signal, async (container) => {
      await action(numberOf(container));
      return numberOf(container);
    });
  const settled = async () => void (await vi.advanceTimersByTimeAsync(0));

  test('a program on its own starts one container, and no other', async () => {
    expect(await use()).toBe(0);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(await use()).toBe(1);
    expect(source.started).toHaveLength(2);
    expect(source.discarded).toEqual([]);
  });

  test('where programs follow each other, the next container is started while one works', async () => {
    await use();
    await use(LIMITS, async (number) => {
      expect(number).toBe(1);
      expect(source.started).toHaveLength(3);
    });
    expect(await use()).toBe(2);
    expect(await use()).toBe(3);
    expect(source.started).toHaveLength(5);
  });

  test('each is used once', async () => {
    const numbers = [];
    for (let count = 0; count < 10; count += 1) numbers.push(await use());
    expect(new Set(numbers).size).toBe(10);
  });

  test('as many wait as have lately run at once, and fewer later', async () => {
    const together = () => Promise.all([1, 2, 3, 4].map(() => use(LIMITS, settled)));
    await together();
    await settled();
    expect(source.started).toHaveLength(8);
    expect((await together()).sort()).toEqual([4, 5, 6, 7]);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(source.discarded).toEqual([8, 9, 10, 11]);
    await use();
    await use();
    expect(source.started).toHaveLength(12 + 3);
  });

  test('one that nobody needs is removed after a while', async () => {
    await use();
    await use();
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(source.discarded).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(source.discarded).toEqual([2]);
    expect(await use()).toBe(3);
  });

  test('they are for programs with the same limits only', async () => {
    await use();
    await use();
    expect(await use({ ...LIMITS, memory_mb: 256 })).toBe(3);
    expect(source.started[3]?.limits.memory_mb).toBe(256);
    expect(await use()).toBe(2);
  });

  test('one that has died is replaced without an error, and removed', async () => {
    await use();
    await use();
    source.kill(2);
    await settled();
    expect(source.discarded).toEqual([2]);
    expect(await use()).toBe(3);
  });

  test('one that dies before its program has begun is replaced without an error', async () => {
    await use();
    await use();
    const tried: number[] = [];
    const number = await use(LIMITS, async (number) => {
      tried.push(number);
      if (number === 2) throw new NotBegunError('gone', true);
    });
    expect(tried).toEqual([2, 3]);
    expect(number).toBe(3);
  });

  test('a new one that dies before its program has begun is an error, and so is any other failure', async () => {
    const gone = new NotBegunError('gone', true);
    await expect(use(LIMITS, () => Promise.reject(gone))).rejects.toBe(gone);
    const killed = new Error('killed');
    await use();
    await expect(use(LIMITS, () => Promise.reject(killed))).rejects.toBe(killed);
  });

  test('one that could not be started ahead is no error; one that is waited for is', async () => {
    const broken = new Error('the daemon is unreachable');
    source.outcome = async (number) => {
      if (number === 2 || number === 3) throw broken;
    };
    expect(await use()).toBe(0);
    expect(await use()).toBe(1);
    await expect(use()).rejects.toBe(broken);
    expect(await use()).toBe(4);
  });

  test('one that is still on its way is waited for; whoever gives up leaves it to the next', async () => {
    let arrive = () => {};
    source.outcome = (number) =>
      number === 2 ? new Promise((resolve) => (arrive = resolve)) : Promise.resolve();
    await use();
    await use();
    const controller = new AbortController();
    const impatient = pool.use(LIMITS, controller.signal, async () => {});
    const failing = expect(impatient).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await failing;
    const patient = use();
    arrive();
    expect(await patient).toBe(2);
  });

  test('all that wait are handed over when the pool is closed, those on their way too', async () => {
    let arrive = () => {};
    source.outcome = (number) =>
      number === 4 ? new Promise((resolve) => (arrive = resolve)) : Promise.resolve();
    await use();
    await Promise.all([use(LIMITS, settled), use(LIMITS, settled)]);
    expect(source.started.length).toBe(5);
    const closing = pool.close();
    expect(source.started[4]?.signal.aborted).toBe(true);
    arrive();
    await closing;
    expect(source.discarded).toEqual([3]);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(source.discarded).toEqual([3]);
  });

  test('none is started where the pool is to be cold', async () => {
    pool = new ContainerPool(source, false);
    for (let count = 0; count < 3; count += 1) await Promise.all([use(), use()]);
    expect(source.started).toHaveLength(6);
  });
});
