import { InvalidInputError } from '../../config/errors.js';
import { fieldFlag, limitFlag, resultsDirFlag, sampleIdFlag } from '../../config/flags.js';
import { makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders } from '../../config/kind.js';
import { allowModels, type ModelRoles, modelFlags } from '../../config/model-roles.js';
import { paceOfModel } from '../../config/pacing.js';
import { inputLocation, resultsLocation } from '../../config/paths.js';
import type { NamesTasks } from '../run/activities/dataset.js';
import { locateDataset } from '../run/config.js';
import { NAMES } from './index.js';
import { type OwnKindConfig, ownKindConfigSchema } from './schema.js';

/** Roles of models are those that the kind's file names. */
const MODELS: ModelRoles = { roles: {} };

function finish(config: OwnKindConfig, folders: Folders): OwnKindConfig {
  const { config: folder } = folders;
  const { output } = config;
  const dataset = structuredClone(config.dataset);
  if (dataset.image_field !== undefined)
    throw new InvalidInputError(
      'dataset.image_field: images are shown to agents of runs; a kind of one’s own gets texts',
      'dataset.image_field',
    );
  locateDataset(dataset, folder);
  return {
    ...config,
    kind: inputLocation(config.kind, 'kind', folder, 'code'),
    dataset,
    output: { ...output, results_dir: resultsLocation(output.results_dir, folders) },
  };
}

function jsonSchema(): SchemaNode {
  const schema = schemaOf('Reprise config of a kind of one’s own', ownKindConfigSchema);
  makeOptional(schema, 'name');
  allowModels(schema, MODELS);
  return schema;
}

/** Returns the settings that select the samples, in the form of a run's config. */
export function sampleSelection({ dataset, seed, max_samples }: OwnKindConfig): NamesTasks {
  return { dataset, seed, runtime: { max_envs_to_visit: max_samples } };
}

/** Configs of experiments of users' own kinds. */
export const ownKindConfigs: ConfigKind<OwnKindConfig> = {
  ...NAMES,
  sections: 'kind, models, settings, dataset, limits and output',
  example: 'settings.n=4',
  rows: 'dataset',
  inFlight: 'samples',
  atOnce: 'samples',
  flags: {
    name: fieldFlag('--name <name>', 'name of the experiment and of its folder', 'name'),
    results_dir: resultsDirFlag(),
    limit: limitFlag('max_samples'),
    sample_id: sampleIdFlag(),
    ...modelFlags(MODELS),
  },
  models: MODELS,
  schema: () => ownKindConfigSchema,
  jsonSchema,
  finish,
  modelsOf: ({ models }) =>
    Object.fromEntries(Object.entries(models).map(([role, lm]) => [`models.${role}`, lm])),
  pace: {
    concurrency: 'concurrency',
    fixed: [
      'limits',
      'output',
      'grain',
      'work_timeout_sec',
      'dataset.env_timeout_sec',
      ...paceOfModel('models.*'),
    ],
    free: ['name'],
  },
};
