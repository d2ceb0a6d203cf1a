import { parentPort } from 'node:worker_threads';
import { compareSymbolically } from '../grading/compare-symbolically.js';
import { loadSymbolicEngine } from '../grading/mathematics/symbolic-engine.js';

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
}

/** Entry of a grading thread; see grading-pool.ts. */
export default async function compare(input: ComparisonInput): Promise<boolean | undefined> {
  await loadSymbolicEngine();
  parentPort?.postMessage({ begun: input.id } satisfies ComparisonBegun);
  return compareSymbolically(input.left, input.right, input.tolerance);
}
