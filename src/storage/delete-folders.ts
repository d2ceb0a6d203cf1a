import type { ArtifactStore } from './artifact-store.js';
import { forEachConcurrently } from './byte-streams.js';

/** Number of folders that are deleted at once; each may delete many objects. */
const AT_ONCE = 8;

/** Deletes everything below prefixes, which may end with a slash. */
export function deleteFolders(store: ArtifactStore, prefixes: readonly string[]): Promise<void> {
  return forEachConcurrently(prefixes, AT_ONCE, (prefix) => store.deleteFolder(prefix.replace(/\/$/, '')));
}
