import type { WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import type { PaceChange } from '../config/pacing.js';
import { UPDATES } from '../contracts/names.js';

const shown = (value: unknown) => (value == null ? 'none' : JSON.stringify(value));

/**
 * Gives an experiment in progress the concurrency that a command asks for.
 * @returns it; null where it is as it was begun.
 * @throws InvalidInputError that names what else differs: that holds as it was begun.
 */
export async function setPace(
  handle: WorkflowHandle,
  { concurrency, fixed }: PaceChange,
): Promise<number | null> {
  if (fixed !== null) {
    const { field, was, asked } = fixed;
    throw new InvalidInputError(
      `${field}: ${handle.workflowId} is in progress with ${shown(was)}, not ${shown(asked)}, and goes on so. Stop it with: reprise stop ${handle.workflowId}, and give the command again: it goes on with the new value then`,
      field,
    );
  }
  if (concurrency !== null) await handle.signal(UPDATES.setConcurrency, concurrency);
  return concurrency;
}
