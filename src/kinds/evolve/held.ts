import type { Held } from '../../activities/held.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { evolveStatesPrefix, scaffoldRunsPrefix } from './paths.js';

/** Counts what the folder of an evolution holds. */
export async function heldOfEvolution(store: ArtifactStore): Promise<Held> {
  const [iterations, runs] = await Promise.all([
    keysBelow(store, evolveStatesPrefix()),
    keysBelow(store, scaffoldRunsPrefix()),
  ]);
  return { iterations: iterations.length, scaffold_runs: runs.length };
}
