import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/common';
import { InvalidInputError } from '../config/errors.js';
import { FAILURE_TYPES, QUERIES } from '../contracts/names.js';
import type { Ended } from '../facts/kind-facts.js';

/** Receiver of the progress and messages of an experiment. */
export interface Watcher<State> {
  show(progress: State): void;
  say(message: string): void;
}

/** Milliseconds between two polls of a run. */
const POLL_INTERVAL = 500;
/** gRPC statuses of a server that is unreachable or busy. */
const PASSING_STATUSES = [1, 4, 8, 13, 14];

/** Number of retries for a run that is no longer found. */
const VANISHED_LOOKS = 30;

function isPassing(error: unknown): boolean {
  const inner = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | null)?.cause;
  return isGrpcServiceError(inner) && PASSING_STATUSES.includes(inner.code);
}

/** Returns the cause of an activity's or child workflow's failure; any other cause unchanged. */
function unwrapped(cause: Error | undefined): Error | undefined {
  const isWrapper = cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure;
  return isWrapper && cause.cause !== undefined ? unwrapped(cause.cause) : cause;
}

/** Returns the result of a workflow; a failed run has its figures in the failure's details. */
export async function resultOf<Result = Ended>(handle: WorkflowHandle): Promise<Result> {
  try {
    return (await handle.result()) as Result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const cause = unwrapped(error.cause);
    if (cause instanceof ApplicationFailure) {
      if (cause.type === FAILURE_TYPES.invalidInput) throw new InvalidInputError(cause.message);
      if (cause.type === FAILURE_TYPES.runFailed) return cause.details?.[0] as Result;
      throw new Error(`the run failed: ${cause.message}`);
    }
    throw new Error(`the run did not finish: ${cause?.message ?? error.message}`);
  }
}

async function untilServed<Value>(
  work: () => Promise<Value>,
  display: Pick<Watcher<never>, 'say'>,
): Promise<Value> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      // The run existed a moment ago: its server died, and for now another server answers at its port.
      const vanished = error instanceof WorkflowNotFoundError && failures < VANISHED_LOOKS;
      if (!isPassing(error) && !vanished) throw error;
      if (failures === 4) display.say('The Temporal server does not answer; waiting for it…');
      await sleep(POLL_INTERVAL);
    }
  }
}

/** Milliseconds to wait for the answer to a query, which a worker has to give. */
export const QUERY_TIMEOUT = 5000;

/** Queries the progress of an experiment; null where no worker answers in time. */
export async function askProgress<State>(handle: WorkflowHandle, timeout: number): Promise<State | null> {
  const asked = handle.query<State>(QUERIES.progress).catch(() => null);
  return Promise.race([asked, sleep(timeout).then(() => null)]);
}

/** Shows an experiment until it ends, through any restart of server or worker, and returns its result. */
export async function watch<State, Result>(
  handle: WorkflowHandle,
  display: Watcher<State>,
  aborted: AbortSignal,
): Promise<Result> {
  while (!aborted.aborted) {
    const { status } = await untilServed(() => handle.describe(), display);
    if (status.name !== 'RUNNING') break;
    // A query needs a worker; the end of the experiment does not.
    const progress = await askProgress<State>(handle, 5 * POLL_INTERVAL);
    if (progress !== null) display.show(progress);
    await sleep(POLL_INTERVAL, undefined, { signal: aborted }).catch(() => undefined);
  }
  aborted.throwIfAborted();
  // A reset workflow continues in another execution, which a handle of the first one does not follow.
  const newest = handle.client.getHandle(handle.workflowId);
  return untilServed(() => resultOf<Result>(newest), display);
}
