import type { UnreachableNotice } from '../contracts/experiment.js';
import { QUERIES, SIGNALS, STARTS_UPDATE, UPDATES } from '../contracts/names.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import { defineQuery, defineSignal, defineUpdate } from './sdk.js';

export const progressQuery = defineQuery<ExperimentProgress>(QUERIES.progress);

export const pauseUpdate = defineUpdate<void>(UPDATES.pause);
export const resumeUpdate = defineUpdate<void>(UPDATES.resume);
/** Finishes the episodes in flight, then reports. */
export const stopUpdate = defineUpdate<void>(UPDATES.stop);
export const setConcurrencyUpdate = defineUpdate<number, [number]>(UPDATES.setConcurrency);

/** Grants this number of request starts; the result is the milliseconds until the first. */
export const startsUpdate = defineUpdate<number, [number]>(STARTS_UPDATE);

// The same for `temporal workflow signal`, whose sender gets no response.
export const pauseSignal = defineSignal(UPDATES.pause);
export const resumeSignal = defineSignal(UPDATES.resume);
export const stopSignal = defineSignal(UPDATES.stop);
export const setConcurrencySignal = defineSignal<[number]>(UPDATES.setConcurrency);

export const unreachableSignal = defineSignal<[UnreachableNotice]>(SIGNALS.unreachable);
/** Total number of granted calls. */
export const grantSignal = defineSignal<[calls: number]>(SIGNALS.grant);
