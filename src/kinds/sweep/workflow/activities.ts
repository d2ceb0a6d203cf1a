import { PATIENT } from '../../../workflows/activity-options.js';
import { activitiesOf } from '../../../workflows/sdk.js';
import type { SweepActivities } from '../contracts.js';

/** Activities of a sweep. */
export const sweeping = activitiesOf<SweepActivities>(PATIENT);
