import type { ArtifactStore } from './artifact-store.js';

export interface Place {
  store: ArtifactStore;
  key: string;
}

/**
 * Copies an object of any size, where it exists.
 *
 * @throws StorageError
 */
export async function copyArtifact(from: Place, to: Place): Promise<void> {
  const source = await from.store.openRead(from.key);
  if (source === null) return;
  try {
    await to.store.writeStream(to.key, source);
  } finally {
    // A store that refuses before it reads leaves the source open.
    source.destroy();
  }
}
