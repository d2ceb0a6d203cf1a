import { basename, extname } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import { fieldFlag } from '../../config/flags.js';
import { allow, makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, WrittenConfig } from '../../config/kind.js';
import { allowModels, type ModelRoles, modelFlags } from '../../config/model-roles.js';
import { paceOfModel } from '../../config/pacing.js';
import { isRemote, outputLocation, requireFile, resolveLocation } from '../../config/paths.js';
import { readYaml } from '../../config/read-config.js';
import { isMapping } from '../../contracts/json.js';
import { AGENT_RUBRIC } from './agent-rubric.js';
import { NAMES } from './index.js';
import { type JudgeConfig, judgeConfigSchema } from './schema.js';

/** Returns the rubric: read from a file and named after it, given inline, or else the default for agents. */
function rubricOf(given: unknown, folder: string): unknown {
  if (given == null) return structuredClone(AGENT_RUBRIC);
  if (typeof given !== 'string') return given;
  const path = resolveLocation(given, folder, 'rubric');
  if (isRemote(path)) {
    throw new InvalidInputError(`rubric: ${path}: a rubric is a file of this machine`, 'rubric');
  }
  requireFile(path, 'rubric');
  const rubric = readYaml(path, 'rubric');
  if (!isMapping(rubric)) {
    throw new InvalidInputError(`rubric: ${path} is no mapping with criteria`, 'rubric');
  }
  return { name: basename(path, extname(path)), ...rubric };
}

/** Expands a rubric that is a file. */
function writeOut(raw: WrittenConfig, folder: string): WrittenConfig {
  return { ...raw, rubric: rubricOf(raw.rubric, folder) };
}

function finish(config: JudgeConfig, { config: folder }: Folders): JudgeConfig {
  if (config.rubric.name === undefined) {
    throw new InvalidInputError('rubric.name: is missing; only a file is a name', 'rubric.name');
  }
  // The judgement is written into this folder, too.
  return { ...config, experiment: outputLocation(config.experiment, 'experiment', folder) };
}

function jsonSchema(): SchemaNode {
  const schema = schemaOf('Reprise config of a judgement', judgeConfigSchema);
  makeOptional(schema, 'rubric');
  allow(schema, 'rubric', { type: 'string', minLength: 1 });
  allowModels(schema, MODELS);
  return schema;
}

const MODELS: ModelRoles = { roles: { judge: { description: 'the judge' } }, asLm: true };

/** Configs of judgements: the experiment to judge, the model and the rubric. */
export const judgeConfigs: ConfigKind<JudgeConfig> = {
  ...NAMES,
  sections: 'experiment, rubric, lm, concurrency, grain, limits and log_level',
  example: 'limits.max_cost_usd=1',
  rows: 'experiment',
  inFlight: 'calls',
  atOnce: 'steps',
  flags: {
    ...modelFlags(MODELS),
    rubric: fieldFlag(
      '--rubric <file>',
      'a YAML file of criteria (progress, rules and honesty of an agent)',
      'rubric',
      (path, workingFolder) => resolveLocation(String(path), workingFolder, 'rubric'),
    ),
  },
  models: MODELS,
  writeOut,
  schema: () => judgeConfigSchema,
  jsonSchema,
  finish,
  modelsOf: ({ lm }) => ({ lm }),
  pace: {
    concurrency: 'concurrency',
    fixed: ['limits', 'log_level', 'grain', ...paceOfModel('lm')],
    free: [],
  },
};
