import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import type { UPDATES } from '../contracts/names.js';
import type { RegisteredKind } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import { describeRun } from './in-progress.js';

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

/** Milliseconds to wait for a worker, which has to process an update. */
const UPDATE_TIMEOUT = 30_000;
/** Milliseconds before an update is sent again. */
const PAUSE_BETWEEN = 100;
/** gRPC status of the server's answer where it has discarded the workflow task with an update. */
const FAILED_PRECONDITION = 9;

function isThrownAway(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    isGrpcServiceError(error.cause) &&
    error.cause.code === FAILED_PRECONDITION
  );
}

/**
 * Sends an update until a worker has accepted it. When another message arrives just while a run continues as a new
 * execution, the server discards its workflow task with the update in it, which was not accepted and is sent again.
 * @throws InvalidInputError with the reason of the workflow; Error if no worker accepts it within 30 s.
 */
export async function takeUpdate(
  handle: Pick<WorkflowHandle, 'executeUpdate'>,
  name: string,
  argument?: string | number,
): Promise<void> {
  let isLate = false;
  const send = async (): Promise<void> => {
    for (;;) {
      try {
        await (argument === undefined
          ? handle.executeUpdate(name)
          : handle.executeUpdate<unknown, [unknown]>(name, { args: [argument] }));
        return;
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) {
          throw new InvalidInputError(error.cause?.message ?? error.message);
        }
        if (!isThrownAway(error) || isLate) throw error;
        await sleep(PAUSE_BETWEEN);
      }
    }
  };
  const late = sleep(UPDATE_TIMEOUT, 'late' as const, { ref: false });
  if ((await Promise.race([send(), late])) !== 'late') return;
  isLate = true;
  throw new Error(
    `no worker took the update within ${UPDATE_TIMEOUT / 1000} s; start one with: npx reprise worker`,
  );
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
