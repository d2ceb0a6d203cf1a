import { Piscina } from 'piscina';
import { ComparisonUnavailableError, GradingLimitError, type SymbolicComparer } from '../grading/grade.js';
import { AdaptiveLimit } from '../language-models/adaptive-limit.js';
import { threadModule } from '../user-code/code-pool.js';
import type { ComparisonBegun, ComparisonInput } from './grading-thread.js';
import { processorTime } from './processor-time.js';

const THREADS = 2;
const MEMORY_MB = 512;
const MIN_WAIT_MS = 10;
/** Maximum elapsed time of a comparison, as a multiple of its processor time. */
const PATIENCE = 60;

export interface GradingPoolOptions {
  /** Milliseconds of processor time that one comparison may take: 5000. A normal one takes 1 to 30. */
  timeBox?: number;
  /** Milliseconds of elapsed time after which a comparison without a processor is ended: 60 times its time box. */
  patience?: number;
  /** Module that a thread runs, such as grading-thread.ts. */
  thread?: URL;
}

/**
 * Compares expressions with the maths library in a thread of its own: a pathological expression costs a thread, which
 * is ended and replaced, and never the worker. Threads start with the first comparison and end when idle.
 *
 * Invariant: no verdict depends on how busy the machine is. A comparison that is ended has no verdict. Its time begins
 * when a thread begins it, and is processor time if the system reports it (on Linux), so that neither waiting for a
 * thread nor waiting for a processor counts; a thread that fails or is starved says nothing about the answer.
 */
export class GradingPool {
  private readonly timeBox: number;
  private readonly patience: number;
  private readonly thread: URL;
  /**
   * Limits comparisons to the number of threads, since the pool does not replace a dead thread for the tasks queued in
   * it.
   */
  private readonly places = new AdaptiveLimit({ maximum: THREADS });
  private readonly running = new Map<number, AbortController>();
  private readonly timers = new Map<number, NodeJS.Timeout>();
  private pool: Piscina | undefined;
  private comparisons = 0;

  constructor({ timeBox = 5000, patience = PATIENCE * timeBox, thread }: GradingPoolOptions = {}) {
    this.timeBox = timeBox;
    this.patience = patience;
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
      if (end.signal.reason instanceof GradingLimitError) throw end.signal.reason;
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new GradingLimitError(`comparing the answers took more than ${MEMORY_MB} MB of memory`);
      }
      throw new ComparisonUnavailableError(end.signal.reason ?? error);
    } finally {
      clearTimeout(this.timers.get(id));
      this.timers.delete(id);
      this.running.delete(id);
    }
  }

  private start(): Piscina {
    const pool = new Piscina({
      ...threadModule(this.thread),
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    pool.on('message', (begun: ComparisonBegun) => this.watch(begun, performance.now()));
    // A thread failed before it had work: comparisons that wait for it would wait for ever.
    pool.on('error', (error) => {
      for (const [id, end] of this.running) if (!this.timers.has(id)) end.abort(error);
    });
    return pool;
  }

  /** Ends a comparison that has used up its time or gets no processor. */
  private watch(comparison: ComparisonBegun, since: number): void {
    const { begun: id, thread } = comparison;
    const end = this.running.get(id);
    if (end === undefined) return;
    const onTheClock = performance.now() - since;
    const now = processorTime(thread);
    const used =
      now === null || comparison.processorTime === null ? onTheClock : now - comparison.processorTime;
    // A busy event loop runs its timers before it delivers a result that came in time.
    const abort = (reason: Error) => setImmediate(() => end.abort(reason));
    if (used >= this.timeBox) {
      const seconds = this.timeBox / 1000;
      abort(new GradingLimitError(`comparing the answers took more than ${seconds} s of processor time`));
    } else if (onTheClock >= this.patience) {
      abort(new Error(`a thread had no processor for ${Math.round(onTheClock / 1000)} s`));
    } else {
      const wait = Math.max(Math.min(this.timeBox - used, this.patience - onTheClock), MIN_WAIT_MS);
      this.timers.set(
        id,
        setTimeout(() => this.watch(comparison, since), wait),
      );
    }
  }
}
