import { FAILURE_TYPES } from '../contracts/names.js';
import type { ActivityOptions } from './sdk.js';

/** What an experiment waits for is noticed after this long where its worker has died; it reports itself every few seconds. */
export const HEARTBEAT_TIMEOUT = '10s';
/** On top of the request itself: waiting for a slot of the adaptive limit, and for a store that is away. */
const MODEL_WAIT_SECONDS = 6 * 3600;
/** Provider failures are counted by the activity (`lm.max_attempts`); these are left for workers that die. */
const CRASHES_SURVIVED = 100;
/** On top of a work's own time: for a store that is away, a place in the sandbox, an image that is built. */
const WORK_WAIT_SECONDS = 2 * 3600;

const final = [FAILURE_TYPES.invalidInput, FAILURE_TYPES.fatalProvider, FAILURE_TYPES.fatalStorage];

/** For what has to wait: the store or the hub may be away for a while. About two hours. */
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

/** Options of a program, a tool or whatever else has a time of its own; the summary is what the UI shows. */
export function timedOptions(timeoutSeconds: number, summary: string): ActivityOptions {
  return {
    ...PATIENT,
    startToCloseTimeout: (timeoutSeconds + WORK_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    summary,
  };
}

/** Options of one model call; the summary is what the UI shows. */
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
