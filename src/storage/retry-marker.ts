import type { ArtifactStore } from './artifact-store.js';
import { retryKey } from './paths.js';
import { readJson } from './stored-file.js';

/** Retry of an ended experiment's errors; the experiment is unfinished until the retry has ended. */
export interface Retry {
  /** Types of errors; null: any. */
  types: string[] | null;
  /** Start of the retry, in ISO 8601. */
  at: string;
}

/** Reads the retry; null where there is none. */
export function readRetry(store: ArtifactStore): Promise<Retry | null> {
  return readJson<Retry>(store, retryKey());
}

export async function writeRetry(store: ArtifactStore, retry: Retry): Promise<void> {
  await store.write(retryKey(), JSON.stringify(retry));
}

/** Ends a retry, after all its rows were attempted: missing rows are then treated as usual. */
export async function endRetry(store: ArtifactStore): Promise<void> {
  await store.delete([retryKey()]);
}

/** Reports whether rows with an error of this type are retried; all are, where no types are set. */
export function isRetried(retry: Retry | null, type: string): boolean {
  return retry?.types == null || retry.types.includes(type);
}
