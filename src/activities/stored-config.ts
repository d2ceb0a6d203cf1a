import { checkSandbox } from '../config/named-files.js';
import { outputLocation } from '../config/paths.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { missingFile } from '../storage/stored-file.js';

/** Part of a config that an activity uses, besides what is checked on use. */
interface StoredConfig {
  output?: { results_dir: string };
  sandbox?: { type: string };
}

/**
 * Checks a config from the folder of an experiment. It was checked when the experiment began, but anybody may name an
 * object store with another config.
 * @throws NotPermittedError
 */
function checked(config: StoredConfig): void {
  checkSandbox(config);
  const { output } = config;
  if (output !== undefined) outputLocation(output.results_dir, 'output.results_dir', process.cwd());
}

/** Returns the config that an experiment's folder was prepared with. @throws StorageError if it is missing. */
export async function storedConfig<Config extends object>(store: ArtifactStore): Promise<Config> {
  const config = await readStoredConfig(store);
  if (config === null) throw missingFile(store, artifactKeys.config);
  checked(config);
  return config as unknown as Config;
}
