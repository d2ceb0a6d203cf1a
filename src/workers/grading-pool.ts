import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { SymbolicComparer } from '../grading/grade.js';
import type { ComparisonInput } from './grading-thread.js';

/** Milliseconds one comparison may take. A healthy one takes 1 to 30, the first of a thread 150 more. */
const TIME_BOX = 5000;

/**
 * Compares expressions with the maths library in a thread of its own: a pathological expression costs a thread, which
 * is ended and replaced, and never the worker. Threads start with the first comparison and end when idle.
 */
export class GradingPool {
  private pool: Piscina | undefined;

  readonly compare: SymbolicComparer = async (left, right, tolerance = 0) => {
    this.pool ??= new Piscina({
      filename: fileURLToPath(new URL('./grading-thread.js', import.meta.url)),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const signal = AbortSignal.timeout(TIME_BOX);
    try {
      return (await this.pool.run({ left, right, tolerance } satisfies ComparisonInput, { signal })) as
        | boolean
        | undefined;
    } catch (error) {
      const { name, code } = error as NodeJS.ErrnoException;
      // Out of time or memory: not shown to be equal.
      if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
      throw error;
    }
  };

  async close(): Promise<void> {
    await this.pool?.destroy();
  }
}
