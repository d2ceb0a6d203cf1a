import { checkModels } from '../../activities/check-model.js';
import { openStore } from '../../storage/open.js';
import { commandCode } from '../../user-code/code-runner.js';
import type { CommandSpec } from '../kind.js';
import { readEvolveData } from './activities/evolve-data.js';
import { evolveDomain } from './activities/evolve-domain.js';
import { evolveConfigs } from './config.js';
import { forkOf } from './fork.js';
import { ownDomainIn } from './own-domain.js';
import type { EvolveConfig } from './schema.js';

export const evolveCommand: CommandSpec<EvolveConfig> = {
  argument: ['[config]', 'a YAML file; what the flags say takes the place of what it says'],
  examples: ['reprise evolve durations.yaml', 'reprise evolve durations.yaml --num-iterations 8'],
  // The worker reports the warnings.
  check: async (config) => {
    await checkModels(evolveConfigs.modelsOf(config), config.limits, process.env);
    await forkOf(openStore, config);
    await readEvolveData(
      config,
      await evolveDomain(config, { ownDomain: (file) => ownDomainIn(commandCode(), file) }),
      openStore,
    );
    return [];
  },
  asksAtEnd: true,
  says: async (config, { running }) => {
    const iterations = running?.evolution.num_iterations ?? config.evolution.num_iterations;
    if (iterations === config.evolution.num_iterations) return {};
    const further = `It goes to ${iterations} iterations; run this command again when it has ended, to go further.`;
    return { after: [further] };
  },
};
