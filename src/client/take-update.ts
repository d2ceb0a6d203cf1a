import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';

/** Milliseconds to wait for a worker, which has to process an update. */
const UPDATE_TIMEOUT = 30_000;
const PAUSE = 100;
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
