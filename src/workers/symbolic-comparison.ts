import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SymbolicComparer } from '../grading/grade.js';

export interface SymbolicComparison {
  compare: SymbolicComparer;
  close(): Promise<void>;
}

/** Returns the comparer: a worker's time-boxed threads if they are built; if run from TypeScript, this thread. */
export async function symbolicComparison(given: SymbolicComparer | undefined): Promise<SymbolicComparison> {
  if (given !== undefined) return { compare: given, close: async () => undefined };
  if (!existsSync(fileURLToPath(new URL('./grading-thread.js', import.meta.url)))) {
    const { compareSymbolically } = await import('../grading/compare-symbolically.js');
    return { compare: compareSymbolically, close: async () => undefined };
  }
  const { GradingPool } = await import('./grading-pool.js');
  const pool = new GradingPool();
  return { compare: pool.compare, close: () => pool.close() };
}
