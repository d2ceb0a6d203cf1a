import { candidateNames } from '../../storage/experiment-folder.js';
import { openStore } from '../../storage/open.js';
import type { Kind } from '../kind.js';
import { holdsRows } from '../run/folder.js';
import { ownKindConfigs, sampleSelection } from './config.js';
import { contentsOfOwnKind, makeRoomInOwnKind } from './contents.js';
import { OWN_KIND_FACTS } from './facts.js';
import { foundOwnKind, ownCodeOf } from './folder.js';
import type { OwnKindConfig } from './schema.js';

/** Experiments of kinds that users define. */
export const ownKind: Kind<OwnKindConfig> = {
  config: ownKindConfigs,
  facts: OWN_KIND_FACTS,
  held: contentsOfOwnKind,
  title: ({ name }) => name,
  ids: ({ name }) => candidateNames(name),
  find: (id, config) =>
    foundOwnKind(openStore(config.output.results_dir).within(id), id, config, process.env),
  code: async (config) => ownCodeOf(config),
  retry: {
    levels: 1,
    holdsRows: (store, config) => holdsRows(store, sampleSelection(config), process.env),
    makeRoom: makeRoomInOwnKind,
  },
};
