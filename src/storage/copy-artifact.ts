import type { ArtifactStore } from './artifact-store.js';

/** An object of a store. */
export interface Place {
  store: ArtifactStore;
  key: string;
}

/**
 * Copies an object, however large, where there is one.
 *
 * @throws StorageError
 */
export async function copyArtifact(from: Place, to: Place): Promise<void> {
  const source = await from.store.openRead(from.key);
  if (source === null) return;
  try {
    await to.store.writeStream(to.key, source);
  } finally {
    // A store that refuses before it has read anything leaves it open.
    source.destroy();
  }
}
