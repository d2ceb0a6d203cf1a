import type { ArtifactStore } from './artifact-store.js';
import { retryKey } from './paths.js';
import { readJson } from './stored-file.js';

/** What is asked again of an experiment that was gone through; it is unfinished until that is done. */
export interface Retry {
  /** Types of errors; null: any. */
  types: string[] | null;
  /** ISO 8601: since when. */
  at: string;
}

/** Null where nothing is asked again. */
export function readRetry(store: ArtifactStore): Promise<Retry | null> {
  return readJson<Retry>(store, retryKey());
}

export async function writeRetry(store: ArtifactStore, retry: Retry): Promise<void> {
  await store.write(retryKey(), JSON.stringify(retry));
}

/** What was asked again has been gone through: what is missing now is asked like any other. */
export async function endRetry(store: ArtifactStore): Promise<void> {
  await store.delete([retryKey()]);
}

/** Whether a row with an error of this type is asked again; every one, where nothing is said. */
export function isRetried(retry: Retry | null, type: string): boolean {
  return retry?.types == null || retry.types.includes(type);
}
