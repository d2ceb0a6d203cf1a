import { parse } from 'yaml';
import { firstDifference } from '../config/fingerprint.js';
import type { RunConfig } from '../config/schema.js';
import type { Metrics } from '../contracts/results.js';
import type { ArtifactStore } from './artifact-store.js';
import { artifactKeys, experimentFolderName } from './paths.js';

/** `absent`: free. `unfinished`: the same question, to be continued. `taken`: complete, or something else. */
export type FolderState = 'absent' | 'unfinished' | 'taken';

export async function folderState(store: ArtifactStore, config: RunConfig): Promise<FolderState> {
  const [metrics, stored] = await Promise.all([
    store.readText(artifactKeys.metrics),
    store.readText(artifactKeys.config),
  ]);
  if (metrics !== null && (JSON.parse(metrics) as Metrics).status === 'done') return 'taken';
  if (stored === null) return metrics === null ? 'absent' : 'taken';
  return firstDifference(parse(stored) as RunConfig, config) === null ? 'unfinished' : 'taken';
}

/** `name`, `name-2`, `name-3`, … */
export function* candidateNames(name: string): Generator<string> {
  const first = experimentFolderName(name);
  yield first;
  for (let number = 2; ; number++) yield `${first}-${number}`;
}

/**
 * The folder for a run: an unfinished one of the same config is continued, a finished one is never written over.
 */
export async function chooseExperiment(
  results: ArtifactStore,
  name: string,
  config: RunConfig,
): Promise<{ experiment: string; state: 'absent' | 'unfinished' }> {
  for (const experiment of candidateNames(name)) {
    const state = await folderState(results.within(experiment), config);
    if (state !== 'taken') return { experiment, state };
  }
  throw new Error('unreachable: there are endlessly many names');
}
