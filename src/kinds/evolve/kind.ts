import { openStore } from '../../storage/open.js';
import { experimentFolderName } from '../../storage/paths.js';
import { commandCode } from '../../user-code/code-runner.js';
import type { Kind } from '../kind.js';
import { readEvolveData } from './activities/evolve-data.js';
import { evolveDomain } from './activities/evolve-domain.js';
import { evolveConfigs } from './config.js';
import { contentsOfEvolution } from './contents.js';
import { EVOLVE_FACTS } from './facts.js';
import { chooseEvolveFolder } from './folder.js';
import { forkOf } from './fork.js';
import { ownDomainIn, ownScorerOf } from './own-domain.js';
import type { EvolveConfig } from './schema.js';

/** Evolutions of programs for a task. */
export const evolve: Kind<EvolveConfig> = {
  config: evolveConfigs,
  facts: EVOLVE_FACTS,
  held: contentsOfEvolution,
  title: ({ name }) => name,
  // The folder's name contains the time, and is chosen when the experiment is prepared.
  ids: ({ name }) => [experimentFolderName(name)],
  find: async (_id, config) => {
    const fork = await forkOf(openStore, config);
    const domain = await evolveDomain(config, { ownDomain: (file) => ownDomainIn(commandCode(), file) });
    const data = await readEvolveData(config, domain, openStore);
    const results = openStore(config.output.results_dir);
    const chosen = await chooseEvolveFolder(results, config, new Date().toISOString(), { fork, data });
    const { experiment, state, left = null, done = null } = chosen;
    const isNew = state === 'new' || state === 'forks';
    const store = results.within(experiment);
    return { store, state: isNew ? 'absent' : 'unfinished', earlier: null, left, done };
  },
  read: (config) => forkOf(openStore, config),
  code: async (config) => ownScorerOf(config),
};
