import type { StoredCall } from '../../activities/call-store.js';
import type { FolderContents } from '../../activities/folder-contents.js';
import { type MakeRoom, withoutRows } from '../../activities/reopen.js';
import { setAside } from '../../activities/set-aside.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { callsPrefix } from '../../storage/paths.js';
import { keysBelow, recordsBelow } from '../../storage/read-ahead.js';
import { EMPTY_REPLY, isEmptyRecord } from './activities/own-kind-context.js';
import { sampleErrorsPrefix, sampleOf, samplesPrefix } from './paths.js';

/** Counts the samples of a folder that have a row, and those that were given up and have none. */
export async function contentsOfOwnKind(store: ArtifactStore): Promise<FolderContents> {
  const rows = new Set((await keysBelow(store, samplesPrefix())).map(sampleOf));
  const errors = (await keysBelow(store, sampleErrorsPrefix())).filter((key) => !rows.has(sampleOf(key)));
  return { samples: rows.size, errors: errors.length };
}

/** Sets empty replies aside, so that they are requested again. Samples continue with the replies that they have. */
export const makeRoomInOwnKind: MakeRoom = async (store, isNew) => {
  if ((await keysBelow(store, sampleErrorsPrefix())).length === 0) throw withoutRows(store);
  if (!isNew({ type: EMPTY_REPLY, message: '' })) return;
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) {
    if (isEmptyRecord(record)) await setAside(store, { call: record, at: record.at });
  }
};
