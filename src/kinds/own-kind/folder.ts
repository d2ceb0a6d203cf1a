import type { ArtifactStore } from '../../storage/artifact-store.js';
import { type FoundExperiment, foundFolder } from '../../storage/experiment-folder.js';
import { type OwnCode, ownCodeIn } from '../../user-code/code-file.js';
import { holdsRows } from '../run/folder.js';
import { ownKindConfigs, sampleSelection } from './config.js';
import type { OwnKindConfig } from './schema.js';

/** Determines the state of a folder for an experiment of a user's own kind. */
export function foundOwnKind(
  store: ArtifactStore,
  id: string,
  config: OwnKindConfig,
  environment: NodeJS.ProcessEnv,
): Promise<FoundExperiment<OwnKindConfig>> {
  const ofTheseRows = () => holdsRows(store, sampleSelection(config), environment);
  return foundFolder(store, id, config, ownKindConfigs, ofTheseRows);
}

/** Returns the code of the kind and of its dataset's environment. */
export function ownCodeOf({ kind, dataset }: OwnKindConfig): OwnCode {
  return ownCodeIn([kind, dataset.env_file]);
}
