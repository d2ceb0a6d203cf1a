import { InvalidInputError } from '../../config/errors.js';
import { candidateNames } from '../../storage/experiment-folder.js';
import { openStore } from '../../storage/open.js';
import type { Kind } from '../kind.js';
import { runConfigs } from './config.js';
import { contentsOfRun, makeRoomInRun } from './contents.js';
import { RUN_FACTS } from './facts.js';
import { foundRun, holdsRows } from './folder.js';
import { ownCodeOf } from './own-code.js';
import type { RunConfig } from './schema.js';

/** Runs: a dataset of environments × an agent with memory × several trials. */
export const run: Kind<RunConfig> = {
  config: runConfigs,
  facts: RUN_FACTS,
  held: contentsOfRun,
  title: ({ name }) => name,
  ids: ({ name }) => candidateNames(name),
  find: (id, config) => {
    const store = openStore(config.output.results_dir).within(id);
    return foundRun(store, id, config, process.env);
  },
  code: async (config) => ownCodeOf(config),
  retry: {
    levels: 1,
    check: ({ runtime }, id) => {
      if (runtime.memory_scope === 'sample') return;
      throw new InvalidInputError(
        `the samples of ${id} share one memory (runtime.memory_scope: run): what one of them is asked again would change what all later ones saw. The command that started it begins anew`,
        'runtime.memory_scope',
      );
    },
    holdsRows: (store, config) => holdsRows(store, config, process.env),
    makeRoom: makeRoomInRun,
  },
};
