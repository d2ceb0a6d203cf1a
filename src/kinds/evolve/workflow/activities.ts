import { PATIENT } from '../../../workflows/activity-options.js';
import { activitiesOf } from '../../../workflows/sdk.js';
import type { EvolveActivities } from '../contracts.js';

export const evolution = activitiesOf<EvolveActivities>(PATIENT);
