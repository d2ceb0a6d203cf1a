import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type {
  EnvironmentActivities,
  ExecutionActivities,
  LanguageModelActivities,
  MemoryActivities,
  RunActivities,
} from '../contracts/activities.js';
import type { AgentEvalActivities } from '../contracts/agent-eval.js';
import type { EvolveActivities } from '../contracts/evolve.js';
import type { JudgeActivities } from '../contracts/judge.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { RunPlan } from '../contracts/run.js';

/** What an experiment waits for is noticed after this long where its worker has died; it reports itself every few seconds. */
const HEARTBEAT_TIMEOUT = '10s';
/** On top of the request itself: waiting for a slot of the adaptive limit, and for a store that is away. */
const MODEL_WAIT_SECONDS = 6 * 3600;
/** Provider failures are counted by the activity (`lm.max_attempts`); these are left for workers that die. */
const CRASHES_SURVIVED = 100;

const final = [FAILURE_TYPES.invalidInput, FAILURE_TYPES.fatalProvider, FAILURE_TYPES.fatalStorage];

/** For what has to wait: the store or the hub may be away for a while. About two hours. */
const PATIENT: ActivityOptions = {
  heartbeatTimeout: '30s',
  retry: {
    initialInterval: '500ms',
    maximumInterval: '30s',
    maximumAttempts: 240,
    nonRetryableErrorTypes: final,
  },
};

export const artifacts = proxyActivities<RunActivities>({ ...PATIENT, startToCloseTimeout: '2h' });

/** A user's own environment may do I/O, and may take its time. */
export const ENVIRONMENT_OPTIONS: ActivityOptions = {
  ...PATIENT,
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
};

export const environments = proxyActivities<EnvironmentActivities>(ENVIRONMENT_OPTIONS);

export const evolution = proxyActivities<EvolveActivities>({ ...PATIENT, startToCloseTimeout: '2h' });

export const bundles = proxyActivities<AgentEvalActivities>({ ...PATIENT, startToCloseTimeout: '2h' });

/** `judgeStep` is called through `executeWithOptions` with `modelCallOptions`. */
export const judging = proxyActivities<JudgeActivities>({ ...PATIENT, startToCloseTimeout: '2h' });

export const memories = proxyActivities<MemoryActivities>({
  ...PATIENT,
  startToCloseTimeout: '2h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
});

/** On top of a tool's own time: for a store that is away. */
const TOOL_WAIT_SECONDS = 2 * 3600;

/** A program's own deadline is the sandbox's business; this leaves room for waiting for a place, and for an image that is built. */
const SANDBOX_WAIT_SECONDS = 2 * 3600;

export function executionOptions(timeoutSeconds: number, summary: string): ActivityOptions {
  return {
    ...PATIENT,
    startToCloseTimeout: (timeoutSeconds + SANDBOX_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    summary,
  };
}

/** Called through `executeWithOptions` with `executionOptions` only. */
export const executions = proxyActivities<ExecutionActivities>({ startToCloseTimeout: '1m' });

/** Options of a tool call; `timeoutSeconds` is what the tool itself may take. */
export function toolCallOptions(timeoutSeconds: number, summary: string): ActivityOptions {
  return {
    ...PATIENT,
    startToCloseTimeout: (timeoutSeconds + TOOL_WAIT_SECONDS) * 1000,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    summary,
  };
}

/** Options of one model call; the summary is what the UI shows. */
export function modelCallOptions(
  plan: Pick<RunPlan, 'timeout_sec' | 'max_attempts'>,
  summary: string,
): ActivityOptions {
  return {
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
