import { HEARTBEAT_TIMEOUT, PATIENT } from '../../../workflows/activity-options.js';
import { type ActivityOptions, activitiesOf } from '../../../workflows/sdk.js';
import type {
  EnvironmentActivities,
  ExecutionActivities,
  GradingActivities,
  LanguageModelActivities,
  MemoryActivities,
  OwnLaneActivities,
  RunActivities,
} from '../contracts.js';

export const artifacts = activitiesOf<RunActivities>(PATIENT);

/** Options for a user's environment, which may do I/O, and may be slow. */
export const ENVIRONMENT_OPTIONS: ActivityOptions = {
  ...PATIENT,
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
};

export const environments = activitiesOf<EnvironmentActivities>(ENVIRONMENT_OPTIONS);

export const memories = activitiesOf<MemoryActivities>({ ...PATIENT, heartbeatTimeout: HEARTBEAT_TIMEOUT });

/** Activities of which `gradeAnswer` is called through `executeWithOptions` with `modelCallOptions` only. */
export const grading = activitiesOf<GradingActivities>({ ...PATIENT, heartbeatTimeout: HEARTBEAT_TIMEOUT });

/** Activities called through `executeWithOptions` with `timedOptions` only. */
export const executions = activitiesOf<ExecutionActivities>({ startToCloseTimeout: '1m' });

/** Activities called through `executeWithOptions` with `modelCallOptions` only. */
export const languageModel = activitiesOf<LanguageModelActivities>({ startToCloseTimeout: '1m' });

/** Lanes with code of users, in the process of their session: there is nobody to begin one anew. */
export const ownLanes = activitiesOf<OwnLaneActivities>({
  startToCloseTimeout: '365d',
  retry: { maximumAttempts: 1 },
});
