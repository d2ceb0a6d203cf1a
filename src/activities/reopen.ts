import { InvalidInputError } from '../config/errors.js';
import type { EpisodeError } from '../contracts/results.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { isRetried, type Retry, readRetry, writeRetry } from '../storage/retry-marker.js';

/** Whether an error is to be asked again that was not yet. */
export type IsNew = (error: EpisodeError) => boolean;

/** What a retry does to a kind of experiment before it is continued: replies that are to blame make room for others. */
export type MakeRoom = (store: ArtifactStore, isNew: IsNew) => Promise<void>;

/** Rows and calls of a folder that has none cannot be told from each other any more. */
export function withoutRows({ uri }: ArtifactStore): InvalidInputError {
  return new InvalidInputError(
    `${uri} holds its results and nothing to go on from; the command that started it begins anew`,
  );
}

/**
 * Opens an experiment that was gone through again: it is unfinished then, and what continues it asks the rows with these
 * errors. May be repeated; an error row of a retry that goes on is not asked twice.
 * @param types null: any.
 */
export async function reopen(
  store: ArtifactStore,
  types: string[] | null,
  makeRoom: MakeRoom,
): Promise<Retry> {
  const before = await readRetry(store);
  const retry: Retry = { types, at: before?.at ?? new Date().toISOString() };
  await makeRoom(
    store,
    ({ type }) => isRetried(retry, type) && (before === null || !isRetried(before, type)),
  );
  await writeRetry(store, retry);
  return retry;
}
