import { compareSymbolically } from '../grading/compare-symbolically.js';

export interface ComparisonInput {
  left: string;
  right: string;
  /** Share of the target; 0 for exact. */
  tolerance: number;
}

/** Entry of a grading thread; see grading-pool.ts. */
export default function compare(input: ComparisonInput): Promise<boolean | undefined> {
  return compareSymbolically(input.left, input.right, input.tolerance);
}
