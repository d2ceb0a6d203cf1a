import type { Context } from '@temporalio/activity';
import type { Unrecorded } from '../contracts/step-cost.js';
import { addUnrecorded } from '../runtime/beside.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { unrecordedKey, unrecordedPrefix } from '../storage/paths.js';
import { recordsBelow } from '../storage/read-ahead.js';

/** Returns a name of an activity that is unique in an experiment. */
export function activityNameOf({ info }: Context): string {
  return `${info.workflowExecution?.runId ?? ''}-${info.activityId}`;
}

/**
 * Stores an activity's total cost of requests whose reply was not kept; the experiment's figures are made from these.
 * Stored again, it replaces the same object.
 */
export async function noteUnrecorded(
  store: ArtifactStore,
  activity: string,
  unrecorded: Unrecorded,
): Promise<void> {
  await store.write(unrecordedKey(activity), JSON.stringify(unrecorded));
}

/** Adds up an experiment's cost of unrecorded requests; null if there were none. */
export async function unrecordedSoFar(store: ArtifactStore): Promise<Unrecorded | null> {
  let total: Unrecorded | null = null;
  for await (const unrecorded of recordsBelow<Unrecorded>(store, unrecordedPrefix()))
    total = addUnrecorded(total, unrecorded);
  return total;
}
