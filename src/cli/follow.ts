import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { InvalidInputError } from '../config/errors.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { Progress, RunResult } from '../contracts/run.js';
import type { ProgressDisplay } from './progress-display.js';

/** Milliseconds between two looks at a run. */
const POLL_INTERVAL = 500;
/** gRPC statuses that a server which is away, or busy, answers with. */
const PASSING_STATUSES = [1, 4, 8, 13, 14];

/** How often a run that is not found any more is looked for again. */
const VANISHED_LOOKS = 30;

function isPassing(error: unknown): boolean {
  const inner = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | null)?.cause;
  return isGrpcServiceError(inner) && PASSING_STATUSES.includes(inner.code);
}

/** What a run's workflow ended with; a failed run has its figures in the failure's details. */
export async function resultOf(handle: WorkflowHandle): Promise<RunResult> {
  try {
    return (await handle.result()) as RunResult;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure) {
      if (cause.type === FAILURE_TYPES.invalidInput) throw new InvalidInputError(cause.message);
      if (cause.type === FAILURE_TYPES.runFailed) return cause.details?.[0] as RunResult;
      throw new Error(`the run failed: ${cause.message}`);
    }
    throw new Error(`the run did not finish: ${cause?.message ?? error.message}`);
  }
}

async function untilServed<Value>(work: () => Promise<Value>, display: ProgressDisplay): Promise<Value> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      // A run that was there a moment ago: its server died, and another one answers at its port for now.
      const vanished = error instanceof WorkflowNotFoundError && failures < VANISHED_LOOKS;
      if (!isPassing(error) && !vanished) throw error;
      if (failures === 4) display.say('The Temporal server does not answer; waiting for it…');
      await sleep(POLL_INTERVAL);
    }
  }
}

/** The last line of a run's progress, with the figures of its metrics. */
function lastProgress({ artifacts, metrics }: RunResult): Progress {
  const { samples, correct, errors, episodes, lm_calls, lm_calls_repeated, usage, cost_usd } = metrics;
  return {
    experiment: metrics.name,
    phase: metrics.status,
    samples_planned: metrics.samples_planned,
    concurrency: 0,
    totals: { samples, correct, errors, episodes, lm_calls, lm_calls_repeated, ...usage, cost_usd },
    accuracy: metrics.accuracy,
    shards: [],
    artifacts,
    simulated: metrics.simulated,
    message: metrics.status_message,
  };
}

/** Shows a run until it ends, through any restart of server or worker, and answers with its result. */
export async function follow(
  handle: WorkflowHandle,
  display: ProgressDisplay,
  aborted: AbortSignal,
): Promise<RunResult> {
  while (!aborted.aborted) {
    const { status } = await untilServed(() => handle.describe(), display);
    if (status.name !== 'RUNNING') break;
    // A query waits for a worker; the run's end does not.
    const progress = await Promise.race([
      handle.query<Progress>('progress').catch(() => null),
      sleep(5 * POLL_INTERVAL).then(() => null),
    ]);
    if (progress !== null) display.show(progress);
    await sleep(POLL_INTERVAL, undefined, { signal: aborted }).catch(() => undefined);
  }
  aborted.throwIfAborted();
  const result = await untilServed(() => resultOf(handle), display);
  display.show(lastProgress(result));
  return result;
}
