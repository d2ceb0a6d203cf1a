import type { ArtifactStore } from './artifact-store.js';
import { forEachConcurrently } from './byte-streams.js';

/** Folders on their way at once; each may delete many objects by itself. */
const AT_ONCE = 8;

/** Deletes everything below some prefixes, which may end with a slash. */
export function deleteFolders(store: ArtifactStore, prefixes: readonly string[]): Promise<void> {
  return forEachConcurrently(prefixes, AT_ONCE, (prefix) => store.deleteFolder(prefix.replace(/\/$/, '')));
}
