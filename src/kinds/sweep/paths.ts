import { padded } from '../../storage/paths.js';

/** Returns the key of what is known of the end of a cell. */
export function cellKey(cell: number): string {
  return `cells/${padded(cell)}.json`;
}
