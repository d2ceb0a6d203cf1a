import { parse } from 'yaml';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';

/** The config that an experiment's folder was prepared with. @throws Error where it is not there any more. */
export async function storedConfig<Config>(store: ArtifactStore): Promise<Config> {
  const text = await store.readText(artifactKeys.config);
  if (text !== null) return parse(text) as Config;
  throw new Error(
    `${store.uri} holds no ${artifactKeys.config}: the experiment's folder was moved or changed`,
  );
}
