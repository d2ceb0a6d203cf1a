import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';

/** An update is carried out by a worker; this long we wait for one, in milliseconds. */
const UPDATE_TIMEOUT = 30_000;
const PAUSE = 100;
/** What the server answers where it has thrown away the workflow task that carried an update. */
const FAILED_PRECONDITION = 9;

function isThrownAway(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    isGrpcServiceError(error.cause) &&
    error.cause.code === FAILED_PRECONDITION
  );
}

/**
 * Sends an update until a worker has taken it. A run that hands over to its next execution just when another message
 * arrives has its workflow task thrown away, and an update that came with it: that one was never taken, and is sent
 * again.
 * @throws InvalidInputError with what the workflow says against it; Error if no worker takes it within 30 s.
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
        await sleep(PAUSE);
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
