import type { FolderContents } from '../../activities/folder-contents.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { evolveStatesPrefix, scaffoldRunsPrefix } from './paths.js';

/** Counts iterations and runs in the folder of an evolution. */
export async function contentsOfEvolution(store: ArtifactStore): Promise<FolderContents> {
  const [iterations, runs] = await Promise.all([
    keysBelow(store, evolveStatesPrefix()),
    keysBelow(store, scaffoldRunsPrefix()),
  ]);
  return { iterations: iterations.length, scaffold_runs: runs.length };
}
