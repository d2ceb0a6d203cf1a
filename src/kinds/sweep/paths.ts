import { padded } from '../../storage/paths.js';

/** Returns the folder of a sweep that the cells of a repeat are in. @param repeat from 0 */
export function repeatFolder(repeat: number): string {
  return `repeat-${repeat + 1}`;
}

/** Returns the key of what is known of the end of a cell. */
export function cellKey(cell: number): string {
  return `cells/${padded(cell)}.json`;
}
