import type { CodeTraits } from '../duplicates.js';

const SMALLEST_CLASS = 500;
const MOST_CALLS_TOLD_APART = 3;

/**
 * The cell of the archive that a scaffold belongs to: its size, in classes that double (below 500 characters, below
 * 1,000, below 2,000, …), and in how many places it calls the model (0, 1, 2, 3 or more). Code alone decides, so the
 * cell is known before the scaffold has run.
 */
export function cellOf({ characters, model_calls }: CodeTraits): string {
  const size = characters < SMALLEST_CLASS ? 0 : Math.floor(Math.log2(characters / SMALLEST_CLASS)) + 1;
  return `size ${size}, calls ${Math.min(model_calls, MOST_CALLS_TOLD_APART)}`;
}
