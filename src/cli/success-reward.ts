import type { ArtifactStore } from '../storage/artifact-store.js';
import { readStoredConfig } from '../storage/stored-config.js';

/** Reads the least reward of a success in an experiment's config; undefined where it says nothing of it. */
export async function successRewardOf(store: ArtifactStore): Promise<number | undefined> {
  const config = await readStoredConfig(store);
  return typeof config?.success_reward === 'number' ? config.success_reward : undefined;
}
