import { parentPort } from 'node:worker_threads';
import { compareSymbolically } from '../grading/compare-symbolically.js';
import { loadSymbolicEngine } from '../grading/mathematics/symbolic-engine.js';
import { ownThread, processorTime } from './processor-time.js';

export interface ComparisonInput {
  /** Tells the comparisons of a pool apart. */
  id: number;
  left: string;
  right: string;
  /** Share of the target; 0 for exact. */
  tolerance: number;
}

/** Sent when a comparison begins, which is when its time begins. */
export interface ComparisonBegun {
  begun: number;
  /** Where the thread's processor time can be read, and what it was then; null where nobody counts it. */
  thread: string | null;
  processorTime: number | null;
}

/** Entry of a grading thread; see grading-pool.ts. */
export default async function compare(input: ComparisonInput): Promise<boolean | undefined> {
  await loadSymbolicEngine();
  const thread = ownThread();
  const begun: ComparisonBegun = { begun: input.id, thread, processorTime: processorTime(thread) };
  parentPort?.postMessage(begun);
  return compareSymbolically(input.left, input.right, input.tolerance);
}
