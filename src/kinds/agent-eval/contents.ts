import { CallStore } from '../../activities/call-store.js';
import type { FolderContents } from '../../activities/folder-contents.js';
import { type MakeRoom, withoutRows } from '../../activities/reopen.js';
import { setAside } from '../../activities/set-aside.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { recordsBelow } from '../../storage/read-ahead.js';
import { agentCalls } from './activities/recorded-calls.js';
import { ROLLOUT_ERRORS } from './activities/rollout-failures.js';
import type { StoredResult } from './activities/rollout-results.js';
import { rolloutsFolder } from './paths.js';

/** Counts the rollouts and errors in the folder of an evaluation. */
export async function contentsOfAgentEval(store: ArtifactStore): Promise<FolderContents> {
  const held = { rollouts: 0, errors: 0 };
  for await (const { row } of recordsBelow<StoredResult>(store, `${rolloutsFolder()}/`)) {
    if (row.status === 'error') held.errors += 1;
    else held.rollouts += 1;
  }
  return held;
}

/** Sets empty and cut-off replies aside for new ones. Other rollouts continue from where their error occurred. */
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
