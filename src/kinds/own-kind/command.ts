import { checkModels } from '../../activities/check-model.js';
import { commandCode } from '../../user-code/code-runner.js';
import type { CommandSpec } from '../kind.js';
import { checkDataset } from '../run/activities/dataset.js';
import { environmentCode } from '../run/environment-code.js';
import { ownKindConfigs, sampleSelection } from './config.js';
import { kindCode } from './definition.js';
import type { OwnKindConfig } from './schema.js';

/** Command `reprise own-kind`. */
export const ownKindCommand: CommandSpec<OwnKindConfig> = {
  argument: ['<config>', 'a YAML file'],
  examples: ['reprise own-kind experiment.yaml --name seven --set settings.votes=7'],
  check: async (config) => {
    const { environment, runner } = { environment: process.env, runner: commandCode() };
    await kindCode(runner, config).checked();
    await checkModels(ownKindConfigs.modelsOf(config), config.limits, environment);
    return checkDataset(sampleSelection(config), { environment }, environmentCode(runner));
  },
};
