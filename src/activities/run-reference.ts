import { fileURLToPath } from 'node:url';
import { runReference } from '../contracts/experiment.js';
import type { ArtifactStore } from '../storage/artifact-store.js';

/** Returns the reference by which an execution's activities name it: its folder and its own ID. */
export function referenceTo({ uri }: Pick<ArtifactStore, 'uri'>, execution: string): string {
  // As a path, which is shorter: it is part of the input of every step.
  return runReference(uri.startsWith('file:') ? fileURLToPath(uri) : uri, execution);
}
