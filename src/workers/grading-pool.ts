import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { SymbolicComparer } from '../environments/environment.js';

/** Milliseconds one comparison may take. A healthy one takes 1 to 30, the first of a thread 150 more. */
const TIME_BOX = 5000;

/**
 * Compares expressions with the maths library in a thread of its own: a pathological expression costs a thread, which
 * is ended and replaced, and never the worker. Threads start with the first comparison and end when idle.
 */
export class GradingPool {
  private pool: Piscina | undefined;

  readonly compare: SymbolicComparer = async (left, right) => {
    this.pool ??= new Piscina({
      filename: fileURLToPath(new URL('./grading-thread.js', import.meta.url)),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const signal = AbortSignal.timeout(TIME_BOX);
    try {
      return (await this.pool.run({ left, right }, { signal })) as boolean | undefined;
    } catch {
      // Timed out, or out of memory: not shown to be equal.
      return undefined;
    }
  };

  async close(): Promise<void> {
    await this.pool?.destroy();
  }
}
