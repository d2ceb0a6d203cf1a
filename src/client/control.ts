import type { Client } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import type { UPDATES } from '../contracts/names.js';
import type { RegisteredKind } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import { describeRun } from './in-progress.js';
import { takeUpdate } from './take-update.js';

type Control = keyof typeof UPDATES;

/** Returns the kind of an experiment in progress. @throws InvalidInputError if there is none with the id. */
async function goingKind(client: Client, id: string, what: string): Promise<RegisteredKind> {
  const { status, type } = await describeRun(client, id);
  if (status.name !== 'RUNNING') {
    throw new InvalidInputError(`the run '${id}' has ended (${status.name.toLowerCase()})`);
  }
  const kind = kindOf(type);
  if (kind === undefined) {
    throw new InvalidInputError(`'${id}' is a part of an experiment; ${what} works on the whole`);
  }
  return kind;
}

/**
 * Has an experiment paused, resumed or stopped, or its concurrency changed. Returns once its workflow has accepted that.
 * @throws InvalidInputError if none with the id is in progress, or it refuses; Error if no worker answers.
 */
export async function control(
  client: Client,
  id: string,
  name: Control,
  concurrency?: number,
): Promise<RegisteredKind> {
  const kind = await goingKind(client, id, name);
  await takeUpdate(client.workflow.getHandle(id), name, concurrency);
  return kind;
}

/** Cancels the workflow of an experiment. @throws InvalidInputError if none with the id is in progress. */
export async function cancel(client: Client, id: string): Promise<void> {
  await goingKind(client, id, 'cancel');
  await client.workflow.getHandle(id).cancel();
}
