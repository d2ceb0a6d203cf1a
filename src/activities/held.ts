import type { ArtifactStore } from '../storage/artifact-store.js';
import { callsPrefix } from '../storage/paths.js';
import { keysBelow } from '../storage/read-ahead.js';

/** Counts by name. */
export type Held = Record<string, number>;

/**
 * What the folder of an experiment holds that was cut off before it wrote its figures: the same command goes on from it.
 * @param ofKind counts what its kind keeps there
 */
export async function heldIn(
  store: ArtifactStore,
  ofKind: (store: ArtifactStore) => Promise<Held>,
): Promise<Held> {
  const [held, calls] = await Promise.all([ofKind(store), keysBelow(store, callsPrefix())]);
  return { ...held, answered_calls: calls.length };
}
