import { checkModels } from '../../activities/check-model.js';
import { RESULTS_FOLDERS } from '../../cli/export.js';
import { findExperiment } from '../../cli/find-experiment.js';
import { artifactKeys } from '../../storage/paths.js';
import type { CommandSpec } from '../kind.js';
import { judgeConfigs } from './config.js';
import type { JudgeConfig } from './schema.js';

export const judgeCommand: CommandSpec<JudgeConfig> = {
  argument: ['<id>', 'the experiment’s id, or its folder'],
  options: [
    ['--results-dir <folder>', `where experiments are kept (default: ${RESULTS_FOLDERS.join(' or ')})`],
  ],
  asked: async (id, { resultsDir }) => {
    const { uri } = await findExperiment(id, {
      folders: typeof resultsDir === 'string' ? [resultsDir] : RESULTS_FOLDERS,
      file: artifactKeys.trajectories,
      kind: 'experiment',
    });
    return { experiment: uri };
  },
  check: async (config) => {
    await checkModels(judgeConfigs.models(config), config.limits, process.env);
    return [];
  },
};
