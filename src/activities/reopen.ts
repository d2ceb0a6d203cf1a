import { InvalidInputError } from '../config/errors.js';
import type { EpisodeError } from '../contracts/results.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { isRetried, type Retry, readRetry, writeRetry } from '../storage/retry-marker.js';

/** Reports whether an error is to be retried that was not retried before. */
export type IsNew = (error: EpisodeError) => boolean;

/** Prepares a kind of experiment for a retry: replies that caused errors are set aside. */
export type MakeRoom = (store: ArtifactStore, isNew: IsNew) => Promise<void>;

/** Creates the error for a folder without rows: its results cannot be continued. */
export function withoutRows({ uri }: ArtifactStore): InvalidInputError {
  return new InvalidInputError(
    `${uri} holds its results and nothing to continue from; the command that started it begins anew`,
  );
}

/**
 * Reopens an experiment that has ended: it is unfinished then, and the execution that continues it retries the rows
 * with these errors. May be repeated; an error row of a continued retry is not retried twice.
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
