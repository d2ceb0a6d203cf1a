import { PATIENT } from '../../../workflows/activity-options.js';
import { activitiesOf } from '../../../workflows/sdk.js';
import type { JudgeActivities } from '../contracts.js';

/** Activities of a judgement. `judgeStep` is called through `executeWithOptions` with `modelCallOptions`. */
export const judging = activitiesOf<JudgeActivities>(PATIENT);
