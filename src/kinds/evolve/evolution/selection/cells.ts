import type { CodeTraits } from '../duplicates.js';

const SMALLEST_CLASS = 500;
const MAX_CALLS_DISTINGUISHED = 3;

/**
 * Returns the cell of the archive that a scaffold belongs to: its size, in classes that double (below 500 characters,
 * below 1,000, below 2,000, …), and the number of places that call the model (0, 1, 2, 3 or more). Code alone decides,
 * so the cell is known before the scaffold has run.
 */
export function cellOf({ characters, model_calls }: CodeTraits): string {
  const size = characters < SMALLEST_CLASS ? 0 : Math.floor(Math.log2(characters / SMALLEST_CLASS)) + 1;
  return `size ${size}, calls ${Math.min(model_calls, MAX_CALLS_DISTINGUISHED)}`;
}
