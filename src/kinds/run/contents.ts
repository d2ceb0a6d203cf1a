import type { FolderContents } from '../../activities/folder-contents.js';
import { type MakeRoom, withoutRows } from '../../activities/reopen.js';
import { mayBlameReply, setAside } from '../../activities/set-aside.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { book } from './activities/keep-finished.js';
import { type EpisodeLine, MergedParts } from './activities/part-file.js';
import { noTotals } from './lane/totals.js';
import { everyPartPrefix } from './paths.js';

/** Counts what the folder of a run holds. */
export async function contentsOfRun(store: ArtifactStore): Promise<FolderContents> {
  const parts = await MergedParts.open(store, await keysBelow(store, everyPartPrefix()));
  const totals = noTotals();
  for await (const episodes of parts.samples()) book(totals, episodes);
  const { samples, correct, errors, episodes } = totals;
  return { samples, correct, errors, episodes };
}

async function makeRoomIn(store: ArtifactStore, { row, calls }: EpisodeLine): Promise<void> {
  const { error, unjudged } = row;
  const newest = [...calls].sort((left, right) => Date.parse(left.at) - Date.parse(right.at)).at(-1);
  // An error of judging is not the reply's fault.
  if (error === null || unjudged !== undefined || newest === undefined || !mayBlameReply(error)) return;
  await setAside(store, { call: newest, at: newest.at });
}

/** Sets aside the newest reply of every error row of each sample that is retried, if the reply may be to blame. */
export const makeRoomInRun: MakeRoom = async (store, isNew) => {
  const parts = await MergedParts.open(store, await keysBelow(store, everyPartPrefix()));
  let isEmpty = true;
  for await (const lines of parts.samples()) {
    isEmpty = false;
    const error = lines.at(-1)?.row.error;
    if (error == null || !isNew(error)) continue;
    for (const line of lines) await makeRoomIn(store, line);
  }
  if (isEmpty) throw withoutRows(store);
};
