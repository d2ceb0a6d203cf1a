import { fileURLToPath } from 'node:url';
import { runReference } from '../contracts/experiment.js';
import type { ArtifactStore } from '../storage/artifact-store.js';

/** How the activities of an execution name it to each other: by its folder, and by its own id. */
export function referenceTo({ uri }: Pick<ArtifactStore, 'uri'>, execution: string): string {
  // As a path, which is shorter: it stands in the input of every step.
  return runReference(uri.startsWith('file:') ? fileURLToPath(uri) : uri, execution);
}
