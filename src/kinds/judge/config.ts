import { basename, extname } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import { fieldFlag } from '../../config/flags.js';
import { allow, makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, Written } from '../../config/kind.js';
import { namedModel } from '../../config/named-model.js';
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

/**
 * Expands a rubric that is a file, and a model that is a name, such as `gemini/gemini-2.5-pro`, or a file of replies.
 */
function writeOut(raw: Written, folder: string): Written {
  const { lm } = raw;
  return {
    ...raw,
    rubric: rubricOf(raw.rubric, folder),
    ...(lm !== undefined && { lm: typeof lm === 'string' ? namedModel(lm) : lm }),
  };
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
  for (const key of ['rubric', 'lm']) allow(schema, key, { type: 'string', minLength: 1 });
  return schema;
}

/** Configs of judgements: the experiment to judge, the model and the rubric. */
export const judgeConfigs: ConfigKind<JudgeConfig> = {
  ...NAMES,
  sections: 'experiment, rubric, lm, concurrency, limits and log_level',
  example: 'limits.max_cost_usd=1',
  rows: 'experiment',
  inFlight: 'calls',
  atOnce: 'steps',
  flags: {
    model: fieldFlag('--model <provider/model>', 'the judge', 'lm'),
    rubric: fieldFlag(
      '--rubric <file>',
      'a YAML file of criteria (progress, rules and honesty of an agent)',
      'rubric',
      (path, workingFolder) => resolveLocation(String(path), workingFolder, 'rubric'),
    ),
  },
  writeOut,
  schema: () => judgeConfigSchema,
  jsonSchema,
  finish,
  models: ({ lm }) => ({ lm }),
  pace: {
    concurrency: 'concurrency',
    fixed: ['limits', 'log_level', ...paceOfModel('lm')],
    free: [],
  },
};
