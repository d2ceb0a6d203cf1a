import { InvalidInputError } from '../config/errors.js';

/** Default number; a run in memory takes about 1 MB. */
const DEFAULT = 200;

/**
 * Returns the number of workflows that a worker keeps in memory; others are replayed from their history at each task.
 * @throws InvalidInputError
 */
export function cachedWorkflows(environment: NodeJS.ProcessEnv): number {
  const given = environment.REPRISE_CACHED_WORKFLOWS;
  if (!given) return DEFAULT;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidInputError(`REPRISE_CACHED_WORKFLOWS=${given}: must be a whole number of at least 0`);
}
