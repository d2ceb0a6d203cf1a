import { Piscina } from 'piscina';
import { ComparisonUnavailableError, type SymbolicComparer } from '../grading/grade.js';
import { AdaptiveLimit } from '../language-models/adaptive-limit.js';
import type { ComparisonBegun, ComparisonInput } from './grading-thread.js';

const THREADS = 2;

export interface GradingPoolOptions {
  /** Milliseconds one comparison may take: 5000. A healthy one takes 1 to 30. */
  timeBox?: number;
  /** The module that a thread runs, as grading-thread.ts is one. */
  thread?: URL;
}

/**
 * Compares expressions with the maths library in a thread of its own: a pathological expression costs a thread, which
 * is ended and replaced, and never the worker. Threads start with the first comparison and end when idle.
 *
 * Invariant: only what a comparison itself does, once it has begun, makes it `undefined`: running out of its time or its
 * memory. Waiting for a thread takes nothing of its time, and a thread that fails is an error.
 */
export class GradingPool {
  private readonly timeBox: number;
  private readonly thread: URL;
  /** A comparison is handed over when a thread is free for it: the pool does not replace a thread for what waits in it. */
  private readonly places = new AdaptiveLimit({ maximum: THREADS });
  private readonly running = new Map<number, AbortController>();
  private readonly timers = new Map<number, NodeJS.Timeout>();
  private pool: Piscina | undefined;
  private comparisons = 0;

  constructor({ timeBox = 5000, thread }: GradingPoolOptions = {}) {
    this.timeBox = timeBox;
    this.thread = thread ?? new URL('./grading-thread.js', import.meta.url);
  }

  readonly compare: SymbolicComparer = async (left, right, tolerance = 0) => {
    const release = await this.places.acquire();
    try {
      return await this.run({ id: this.comparisons++, left, right, tolerance });
    } finally {
      release('success');
    }
  };

  async close(): Promise<void> {
    await this.pool?.destroy();
  }

  private async run(input: ComparisonInput): Promise<boolean | undefined> {
    const { id } = input;
    const end = new AbortController();
    this.running.set(id, end);
    try {
      this.pool ??= this.start();
      return (await this.pool.run(input, { signal: end.signal })) as boolean | undefined;
    } catch (error) {
      const isOverTime = end.signal.reason === OVER_TIME;
      // Out of time or memory: not shown to be equal.
      if (isOverTime || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return undefined;
      throw new ComparisonUnavailableError(end.signal.reason ?? error);
    } finally {
      clearTimeout(this.timers.get(id));
      this.timers.delete(id);
      this.running.delete(id);
    }
  }

  private start(): Piscina {
    const pool = new Piscina({
      filename: this.thread.href,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    pool.on('message', ({ begun }: ComparisonBegun) => {
      const end = this.running.get(begun);
      if (end === undefined) return;
      // A busy event loop hears of its timers before it hears of an answer that came in time.
      const late = () => setImmediate(() => end.abort(OVER_TIME));
      this.timers.set(begun, setTimeout(late, this.timeBox));
    });
    // A thread failed before it had work: what waits for it would wait for ever.
    pool.on('error', (error) => {
      for (const [id, end] of this.running) if (!this.timers.has(id)) end.abort(error);
    });
    return pool;
  }
}

const OVER_TIME = Symbol('over time');
