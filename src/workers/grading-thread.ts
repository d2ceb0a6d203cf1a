import { compareSymbolically } from '../grading/compare-symbolically.js';

/** Entry of a grading thread; see grading-pool.ts. */
export default function compare({
  left,
  right,
}: {
  left: string;
  right: string;
}): Promise<boolean | undefined> {
  return compareSymbolically(left, right);
}
