import { PATIENT } from '../../../workflows/activity-options.js';
import { activitiesOf } from '../../../workflows/sdk.js';
import type { OwnKindActivities } from '../contracts.js';

/** `workOnSample` and `askForSample` are called through `executeWithOptions`. */
export const samples = activitiesOf<OwnKindActivities>(PATIENT);
