import { PATIENT } from '../../../workflows/activity-options.js';
import { activitiesOf } from '../../../workflows/sdk.js';
import type { AgentEvalActivities } from '../contracts.js';

export const bundles = activitiesOf<AgentEvalActivities>(PATIENT);
