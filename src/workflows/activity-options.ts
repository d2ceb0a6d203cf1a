import { FAILURE_TYPES } from '../contracts/names.js';
import type { ActivityOptions } from './sdk.js';

/** Time after which a dead worker is noticed; an activity sends heartbeats every few seconds. */
export const HEARTBEAT_TIMEOUT = '10s';
/** Seconds in addition to the request itself: waiting for a slot of the adaptive limit and for an unreachable store. */
const MODEL_WAIT_SECONDS = 6 * 3600;
/** Attempts for workers that die, in addition to provider failures, which the activity counts (`lm.max_attempts`). */
const CRASHES_SURVIVED = 100;
/**
 * Seconds in addition to an activity's own time: for an unreachable store, a place in the sandbox, building an image.
 */
const WORK_WAIT_SECONDS = 2 * 3600;

const final = [FAILURE_TYPES.invalidInput, FAILURE_TYPES.fatalProvider, FAILURE_TYPES.fatalStorage];

/**
 * Options for activities that may have to wait: the store or the hub may be unreachable for a while. About two hours.
 */
export const PATIENT: ActivityOptions = {
  startToCloseTimeout: '2h',
  heartbeatTimeout: '30s',
  retry: {
    initialInterval: '500ms',
    maximumInterval: '30s',
    maximumAttempts: 240,
    nonRetryableErrorTypes: final,
  },
};

/**
 * Options of a bundle of units, which takes as long as its units; the UI shows the summary. It begins again soon, however
 * many workers it has lost.
 */
export function unitsOptions(summary: string): ActivityOptions {
  return {
    ...PATIENT,
    retry: { ...PATIENT.retry, maximumInterval: '3s', maximumAttempts: 2400 },
    startToCloseTimeout: '365d',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    // Not all in the worker that began them: several workers share the bundles.
    allowEagerDispatch: false,
    summary,
  };
}

/** Options of an activity with a time limit of its own, such as a program or a tool; the UI shows the summary. */
export function timedOptions(timeoutSeconds: number, summary: string): ActivityOptions {
  return {
    ...PATIENT,
    startToCloseTimeout: (timeoutSeconds + WORK_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    summary,
  };
}

/** Options of one model call; the UI shows the summary. */
export function modelCallOptions(
  { timeout_sec, max_attempts }: { timeout_sec: number; max_attempts: number },
  summary: string,
): ActivityOptions {
  return {
    startToCloseTimeout: (timeout_sec + MODEL_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: {
      initialInterval: '1s',
      maximumInterval: '60s',
      maximumAttempts: max_attempts + CRASHES_SURVIVED,
    },
    summary,
  };
}
