import { fieldFlag, limitFlag, resultsDirFlag, sampleIdFlag } from '../../config/flags.js';
import { makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, Written } from '../../config/kind.js';
import { namedModel } from '../../config/named-model.js';
import { paceOfModel } from '../../config/pacing.js';
import { inputLocation, resultsLocation } from '../../config/paths.js';
import { isMapping } from '../../contracts/json.js';
import type { NamesTasks } from '../run/activities/dataset.js';
import { locateDataset } from '../run/config.js';
import { NAMES } from './index.js';
import { type OwnKindConfig, ownKindConfigSchema } from './schema.js';

/** Expands models given by name, such as `writer: gemini/gemini-2.5-flash`. */
function writeOut(raw: Written): Written {
  if (!isMapping(raw.models)) return raw;
  const written = Object.entries(raw.models).map(([role, lm]) => [
    role,
    typeof lm === 'string' ? namedModel(lm) : lm,
  ]);
  return { ...raw, models: Object.fromEntries(written) };
}

function finish(config: OwnKindConfig, folders: Folders): OwnKindConfig {
  const { config: folder } = folders;
  const { output } = config;
  const dataset = structuredClone(config.dataset);
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
  const { models } = schema.properties as Record<string, SchemaNode>;
  if (models !== undefined) {
    const whole = models.additionalProperties as SchemaNode;
    models.additionalProperties = { anyOf: [{ type: 'string', minLength: 1 }, whole] };
  }
  return schema;
}

/** Returns the settings that select the samples, in the form of a run's config. */
export function samplesOf({ dataset, seed, max_samples }: OwnKindConfig): NamesTasks {
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
  },
  writeOut,
  schema: () => ownKindConfigSchema,
  jsonSchema,
  finish,
  models: ({ models }) =>
    Object.fromEntries(Object.entries(models).map(([role, lm]) => [`models.${role}`, lm])),
  pace: {
    concurrency: 'concurrency',
    fixed: ['limits', 'output', 'work_timeout_sec', 'dataset.env_timeout_sec', ...paceOfModel('models.*')],
    free: ['name'],
  },
};
