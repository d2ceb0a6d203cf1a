import { parentPort } from 'node:worker_threads';
import { compareSymbolically } from '../grading/compare-symbolically.js';
import { loadSymbolicEngine } from '../grading/mathematics/symbolic-engine.js';
import { ownThread, processorTime } from './processor-time.js';

export interface ComparisonInput {
  /** Distinguishes the comparisons of a pool. */
  id: number;
  left: string;
  right: string;
  /** Share of the target; 0 for exact. */
  tolerance: number;
}

/** Message that a comparison begins, and with it its time. */
export interface ComparisonBegun {
  begun: number;
  /** Name of the thread for reading its processor time, and that time at the start; null if it is not available. */
  thread: string | null;
  processorTime: number | null;
}

/** Runs a comparison in a grading thread; see grading-pool.ts. */
export default async function compare(input: ComparisonInput): Promise<boolean | undefined> {
  await loadSymbolicEngine();
  const thread = ownThread();
  const begun: ComparisonBegun = { begun: input.id, thread, processorTime: processorTime(thread) };
  parentPort?.postMessage(begun);
  return compareSymbolically(input.left, input.right, input.tolerance);
}
