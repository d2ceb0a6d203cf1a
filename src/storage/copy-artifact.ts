import type { ArtifactStore } from './artifact-store.js';

/** An object of a store. */
export interface Place {
  store: ArtifactStore;
  key: string;
}

/**
 * Copies an object, however large. Answers `false` where there is none.
 *
 * @throws StorageError
 */
export async function copyArtifact(from: Place, to: Place): Promise<boolean> {
  const source = await from.store.openRead(from.key);
  if (source === null) return false;
  try {
    await to.store.writeStream(to.key, source);
  } finally {
    // A store that refuses before it has read anything leaves it open.
    source.destroy();
  }
  return true;
}
