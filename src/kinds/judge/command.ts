import { checkModels } from '../../activities/check-model.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from '../../cli/find-experiment.js';
import { artifactKeys } from '../../storage/paths.js';
import type { CommandSpec } from '../kind.js';
import { judgeConfigs } from './config.js';
import type { JudgeConfig } from './schema.js';

export const judgeCommand: CommandSpec<JudgeConfig> = {
  argument: ['<id>', 'the experiment’s id, or its folder'],
  examples: ['reprise judge my-run --model openai/gpt-4.1 --rubric rubric.yaml'],
  options: [RESULTS_DIR],
  asked: async (id, { resultsDir }) => {
    const { uri } = await findExperiment(id, {
      folders: resultsFolders(resultsDir as string | undefined),
      file: artifactKeys.trajectories,
      kind: 'experiment',
    });
    return { experiment: uri };
  },
  check: async (config) => {
    await checkModels(judgeConfigs.modelsOf(config), config.limits, process.env);
    return [];
  },
};
