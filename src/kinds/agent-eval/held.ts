import { CallStore } from '../../activities/call-store.js';
import type { Held } from '../../activities/held.js';
import { type MakeRoom, withoutRows } from '../../activities/reopen.js';
import { setAside } from '../../activities/set-aside.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { recordsBelow } from '../../storage/read-ahead.js';
import { agentCalls } from './activities/recorded-calls.js';
import { ROLLOUT_ERRORS } from './activities/rollout-failures.js';
import type { StoredResult } from './activities/rollout-results.js';
import { rolloutsFolder } from './paths.js';

/** Counts what the folder of an evaluation holds. */
export async function heldOfAgentEval(store: ArtifactStore): Promise<Held> {
  const held = { rollouts: 0, errors: 0 };
  for await (const { row } of recordsBelow<StoredResult>(store, `${rolloutsFolder()}/`)) {
    if (row.status === 'error') held.errors += 1;
    else held.rollouts += 1;
  }
  return held;
}

/** A rollout goes on from where its error came up; only a reply that is empty or cut off is asked for once more. */
export const makeRoomInAgentEval: MakeRoom = async (store, isNew) => {
  const calls = new CallStore(store);
  let isEmpty = true;
  for await (const { row } of recordsBelow<StoredResult>(store, `${rolloutsFolder()}/`)) {
    isEmpty = false;
    const { status, error, task_id, trial } = row;
    const isOfReply = error?.type === ROLLOUT_ERRORS.emptyReply || error?.type === ROLLOUT_ERRORS.cutOff;
    if (status !== 'error' || error === null || !isOfReply || !isNew(error)) continue;
    const newest = (await agentCalls(calls, { row: task_id, rollout: trial })).at(-1);
    if (newest !== undefined) await setAside(store, { call: newest, at: newest.at });
  }
  if (isEmpty) throw withoutRows(store);
};
