import { type ActivityOptions, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  EnvironmentActivities,
  LanguageModelActivities,
  RunActivities,
} from '../contracts/activities.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { RunPlan } from '../contracts/run.js';

/** A worker that died is noticed after this long; a model call reports itself every few seconds. */
const HEARTBEAT_TIMEOUT = '10s';
/** On top of the request itself: waiting for a slot of the adaptive limit, and for a store that is away. */
const MODEL_WAIT_SECONDS = 6 * 3600;
/** Provider failures are counted by the activity (`lm.max_attempts`); these are left for workers that die. */
const CRASHES_SURVIVED = 100;

const final = [FAILURE_TYPES.invalidInput, FAILURE_TYPES.fatalProvider, FAILURE_TYPES.fatalStorage];

/** Artifacts and preparation: patient, because the store or the hub may be away for a while. About two hours. */
const ARTIFACT_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '2h',
  heartbeatTimeout: '30s',
  retry: {
    initialInterval: '500ms',
    maximumInterval: '30s',
    maximumAttempts: 240,
    nonRetryableErrorTypes: final,
  },
};

export const artifacts = proxyActivities<Pick<RunActivities, 'prepareRun' | 'finalizeRun'>>(ARTIFACT_OPTIONS);

/** Small writes and reads of a shard. Local, so that what is written does not stand in the history a second time. */
export const localArtifacts = proxyLocalActivities<Pick<RunActivities, 'loadMemory' | 'writePart'>>({
  startToCloseTimeout: '10m',
  // A longer pause becomes a timer of the server's, so that a workflow task is not kept open meanwhile.
  localRetryThreshold: '5s',
  retry: {
    initialInterval: '200ms',
    maximumInterval: '30s',
    maximumAttempts: 240,
    nonRetryableErrorTypes: final,
  },
});

/** Built-in environments are pure: one marker event, about 3.5 ms. The time covers a grader's own time box. */
export const localEnvironments = proxyLocalActivities<EnvironmentActivities>({
  startToCloseTimeout: '5m',
  localRetryThreshold: '5s',
  retry: {
    initialInterval: '200ms',
    maximumInterval: '30s',
    maximumAttempts: 240,
    nonRetryableErrorTypes: final,
  },
});

/** A user's own environment may do I/O. */
export const environments = proxyActivities<EnvironmentActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: '30s',
  retry: {
    initialInterval: '1s',
    maximumInterval: '30s',
    maximumAttempts: 10,
    nonRetryableErrorTypes: final,
  },
});

/** Options of one model call; the summary is what the UI shows. */
export function modelCallOptions(plan: RunPlan, summary: string): ActivityOptions {
  return {
    ...(plan.model_queue === null ? {} : { taskQueue: plan.model_queue.name }),
    startToCloseTimeout: (plan.timeout_sec + MODEL_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: {
      initialInterval: '1s',
      maximumInterval: '60s',
      maximumAttempts: plan.max_attempts + CRASHES_SURVIVED,
    },
    summary,
  };
}

/** Called through `executeWithOptions` with `modelCallOptions` only. */
export const languageModel = proxyActivities<LanguageModelActivities>({ startToCloseTimeout: '1m' });
