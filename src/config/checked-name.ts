import { experimentFolderName } from '../storage/paths.js';
import { InvalidInputError } from './errors.js';

/**
 * A name as it was given.
 * @param source what it was read from, for the message
 * @throws InvalidInputError where nothing is left of it for the experiment's folder.
 */
export function checkedName(name: string, source: string): string {
  try {
    experimentFolderName(name);
    return name;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(`${source}: ${error.message}`, error.field);
  }
}
