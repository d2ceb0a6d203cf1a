import { candidateNames, foundFolder } from '../../storage/experiment-folder.js';
import { openStore } from '../../storage/open.js';
import type { Kind } from '../kind.js';
import { cellsOf, configOfCell, kindOfCells } from './cells.js';
import { sweepConfigs } from './config.js';
import { contentsOfSweep } from './contents.js';
import { SWEEP_FACTS } from './facts.js';
import type { SweepConfig } from './schema.js';

/** Grids of settings × repeats, each cell an experiment of its own. */
export const sweep: Kind<SweepConfig> = {
  config: sweepConfigs,
  facts: SWEEP_FACTS,
  held: contentsOfSweep,
  title: ({ name }) => name,
  ids: ({ name }) => candidateNames(name),
  find: (id, config) =>
    // The rows are those of its cells, which look at them.
    foundFolder(openStore(config.output.results_dir).within(id), id, config, sweepConfigs, async () => true),
  read: async (config) => {
    const kind = await kindOfCells(config);
    for (const cell of cellsOf(config, config.name)) {
      // Names what the cell does, too: a worker allows what its command has typed.
      const own = configOfCell(kind, config, cell, config.output.results_dir);
      await kind.read?.(own);
    }
  },
};
