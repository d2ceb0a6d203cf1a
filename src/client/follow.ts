import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { InvalidInputError } from '../config/errors.js';
import { FAILURE_TYPES, QUERIES } from '../contracts/names.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import type { Ended } from '../facts/kind-facts.js';

/** Milliseconds between two polls of a run. */
const POLL_INTERVAL = 500;
/** gRPC statuses of a server that is unreachable or busy. */
const PASSING_STATUSES = [1, 4, 8, 13, 14];

/** Number of retries for a run that is no longer found. */
const VANISHED_LOOKS = 30;

/** End of an experiment without a result that counts. */
export type FailedStatus = 'failed' | 'cancelled' | 'terminated' | 'timed_out';

/** Error of an experiment that failed, or was cut off before its end. */
export class ExperimentFailedError<Metrics extends object = ExperimentMetrics> extends Error {
  override readonly name = 'ExperimentFailedError';
  /** URI of its folder; null if it had none yet. */
  readonly artifacts: string | null;
  /** Content of `metrics.json`; null if it wrote none, or it cannot be read from here. */
  readonly metrics: Metrics | null;

  constructor(
    message: string,
    readonly status: FailedStatus,
    { artifacts = null, metrics = null }: { artifacts?: string | null; metrics?: Metrics | null } = {},
  ) {
    super(message);
    this.artifacts = artifacts;
    this.metrics = metrics;
  }
}

function isPassing(error: unknown): boolean {
  const inner = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | null)?.cause;
  return isGrpcServiceError(inner) && PASSING_STATUSES.includes(inner.code);
}

/** Returns the cause of an activity's or child workflow's failure; any other cause unchanged. */
function unwrapped(cause: Error | undefined): Error | undefined {
  const isWrapper = cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure;
  return isWrapper && cause.cause !== undefined ? unwrapped(cause.cause) : cause;
}

function statusOf(cause: Error | undefined): FailedStatus {
  if (cause instanceof CancelledFailure) return 'cancelled';
  if (cause instanceof TerminatedFailure) return 'terminated';
  return cause instanceof TimeoutFailure ? 'timed_out' : 'failed';
}

/**
 * Returns the result of a workflow that has ended.
 * @throws InvalidInputError if its input was wrong; ExperimentFailedError for any other end without a result.
 */
export async function resultOf<Result = Ended>(handle: WorkflowHandle): Promise<Result> {
  try {
    return (await handle.result()) as Result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const cause = unwrapped(error.cause);
    if (!(cause instanceof ApplicationFailure)) {
      throw new ExperimentFailedError(
        `the run did not finish: ${cause?.message ?? error.message}`,
        statusOf(cause),
      );
    }
    if (cause.type === FAILURE_TYPES.invalidInput) throw new InvalidInputError(cause.message);
    const ended = cause.type === FAILURE_TYPES.runFailed ? (cause.details?.[0] as Ended) : undefined;
    throw new ExperimentFailedError(`the run failed: ${cause.message}`, 'failed', ended);
  }
}

/** Returns the result of an experiment that failed with metrics. @throws any other error */
export function endedOf<Result = Ended>(error: unknown): Result {
  if (!(error instanceof ExperimentFailedError) || error.metrics === null) throw error;
  const { artifacts, metrics } = error;
  return { artifacts, metrics } as Result;
}

export interface FollowOptions {
  signal?: AbortSignal;
  /** Receives sentences for people, such as about a server that does not answer. */
  say?: (message: string) => void;
}

/** Repeats some work while the server does not answer. @throws also the reason of an aborted signal. */
async function untilServed<Value>(
  work: () => Promise<Value>,
  { signal, say = () => undefined }: FollowOptions,
): Promise<Value> {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      // The run existed a moment ago: its server died, and for now another server answers at its port.
      const vanished = error instanceof WorkflowNotFoundError && failures < VANISHED_LOOKS;
      if (!isPassing(error) && !vanished) throw error;
      if (failures === 4) say('The Temporal server does not answer; waiting for it…');
      await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Milliseconds to wait for the answer to a query, which a worker has to give. */
export const QUERY_TIMEOUT = 5000;

/** Queries the progress of an experiment; null where no worker answers in time. */
export async function askProgress<State>(handle: WorkflowHandle, timeout: number): Promise<State | null> {
  const asked = handle.query<State>(QUERIES.progress).catch(() => null);
  return Promise.race([asked, sleep(timeout, null, { ref: false })]);
}

/** Yields every half second while an experiment is in progress, through any restart of its server. */
async function* whileRunning(handle: WorkflowHandle, options: FollowOptions) {
  const { signal } = options;
  for (;;) {
    const { status } = await untilServed(() => handle.describe(), options);
    if (status.name !== 'RUNNING') return;
    yield;
    await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Yields the progress of an experiment until it ends, through any restart of server or worker.
 * @throws the reason of an aborted signal.
 */
export async function* follow<State>(handle: WorkflowHandle, options: FollowOptions): AsyncGenerator<State> {
  for await (const _ of whileRunning(handle, options)) {
    // A query needs a worker; the end of the experiment does not.
    const progress = await askProgress<State>(handle, 5 * POLL_INTERVAL);
    if (progress !== null) yield progress;
  }
}

/**
 * Waits until an experiment ends, through any restart of server or worker, and returns its result.
 * @throws as {@link resultOf} does, and the reason of an aborted signal.
 */
export async function untilEnded<Result = Ended>(
  handle: WorkflowHandle,
  options: FollowOptions,
): Promise<Result> {
  for await (const _ of whileRunning(handle, options));
  // A reset workflow continues in another execution, which a handle of the first one does not follow.
  const newest = handle.client.getHandle(handle.workflowId);
  return untilServed(() => resultOf<Result>(newest), options);
}
