import type { ArtifactStore } from '../storage/artifact-store.js';
import { callsPrefix } from '../storage/paths.js';
import { keysBelow } from '../storage/read-ahead.js';

/** Counts by name. */
export type FolderContents = Record<string, number>;

/**
 * Counts what the folder of an interrupted experiment holds: the same command continues from it.
 * @param ofKind counts what its kind keeps there
 */
export async function heldIn(
  store: ArtifactStore,
  ofKind: (store: ArtifactStore) => Promise<FolderContents>,
): Promise<FolderContents> {
  const [held, calls] = await Promise.all([ofKind(store), keysBelow(store, callsPrefix())]);
  return { ...held, answered_calls: calls.length };
}
