import { checkSandbox } from '../config/named-files.js';
import { outputLocation } from '../config/paths.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { missingFile } from '../storage/stored-file.js';

/** What an activity works with of a config, beside what is asked about where it is used. */
interface StoredConfig {
  output?: { results_dir: string };
  sandbox?: { type: string };
}

/**
 * A config as the folder of an experiment holds it. It was asked about when the experiment began, but anybody may name
 * an object store in which something else stands.
 * @throws NotPermittedError
 */
function checked(config: StoredConfig): void {
  checkSandbox(config);
  const { output } = config;
  if (output !== undefined) outputLocation(output.results_dir, 'output.results_dir', process.cwd());
}

/** The config that an experiment's folder was prepared with. @throws StorageError where it is not there any more. */
export async function storedConfig<Config extends object>(store: ArtifactStore): Promise<Config> {
  const config = await readStoredConfig(store);
  if (config === null) throw missingFile(store, artifactKeys.config);
  checked(config);
  return config as unknown as Config;
}
