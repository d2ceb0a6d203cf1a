import type { Context } from '@temporalio/activity';
import type { Unkept } from '../contracts/step-cost.js';
import { addUnkept } from '../runtime/beside.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { unkeptKey, unkeptPrefix } from '../storage/paths.js';
import { recordsBelow } from '../storage/read-ahead.js';

/** Names an activity among all that an experiment has ever had. */
export function activityNameOf({ info }: Context): string {
  return `${info.workflowExecution?.runId ?? ''}-${info.activityId}`;
}

/**
 * Notes what an activity has spent on requests whose reply is not kept, all of it: the experiment's figures are made from
 * these. Noted again, it is the same object.
 */
export async function noteUnkept(store: ArtifactStore, activity: string, unkept: Unkept): Promise<void> {
  await store.write(unkeptKey(activity), JSON.stringify(unkept));
}

/** All that an experiment has spent on such requests; null where there was none. */
export async function unkeptSoFar(store: ArtifactStore): Promise<Unkept | null> {
  let total: Unkept | null = null;
  for await (const unkept of recordsBelow<Unkept>(store, unkeptPrefix())) total = addUnkept(total, unkept);
  return total;
}
