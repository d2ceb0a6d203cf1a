import { basename, dirname } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import { makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, WrittenConfig } from '../../config/kind.js';
import { allowModels } from '../../config/model-roles.js';
import { paceOfModel } from '../../config/pacing.js';
import { isRemote, requireFile, resolveLocation, resultsLocation } from '../../config/paths.js';
import { textOrFile } from '../../config/text-or-file.js';
import { fillInDates, PlaceholderError } from './bundles/placeholders.js';
import { AGENT_EVAL_FLAGS, AGENT_EVAL_MODELS, withModelVariables } from './flags.js';
import { NAMES } from './index.js';
import { type AgentEvalConfig, agentEvalConfigSchema } from './schema.js';

/** Ending of a dataset file, whose evaluation is named by its folder. */
const DATASET_FILE = /\.jsonl?$/;

function refuse(field: string, message: string): never {
  throw new InvalidInputError(`${field}: ${message}`, field);
}

/**
 * Expands `dataset: x`, short for a list of one.
 * @throws InvalidInputError if both `dataset` and `datasets` are given.
 */
function writeOut(raw: WrittenConfig): WrittenConfig {
  const { dataset: given, ...rest } = raw;
  // Null means the same as leaving out.
  const dataset = given ?? undefined;
  if (dataset !== undefined && raw.datasets != null) {
    refuse('dataset', 'stands beside datasets; name all of them there');
  }
  return {
    ...rest,
    // A mapping is the section of a run's config, which the schema refuses.
    ...(dataset !== undefined && (typeof dataset === 'string' ? { datasets: [dataset] } : { dataset })),
  };
}

function bundlePath(given: string, index: number, folder: string): string {
  const field = `datasets[${index}]`;
  const path = resolveLocation(given, folder, field);
  if (isRemote(path)) refuse(field, `${path}: a bundle has modules, so it lies on the worker’s machine`);
  if (/\.ya?ml$/.test(path)) {
    refuse(field, `${given} is a config, not a bundle; name it before the options`);
  }
  requireFile(path, field, 'code');
  return path;
}

/** Refuses unknown dates. Valid ones are filled in later for each row, by its own time. */
function refuseUnknownDates(system_prompt: string): void {
  try {
    fillInDates(system_prompt, new Date(0).toISOString());
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    refuse('agent.system_prompt', error.message);
  }
}

function refuseTwice(values: readonly string[], section: string): void {
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value);
    if (first !== index) refuse(`${section}[${index}]`, `${value} is ${section}[${first}] once more`);
  }
}

function finish(config: AgentEvalConfig, folders: Folders): AgentEvalConfig {
  const result = structuredClone(config);
  const { agent, output } = result;
  const { config: folder } = folders;
  result.datasets = result.datasets.map((dataset, index) => bundlePath(dataset, index, folder));
  refuseTwice(result.datasets, 'datasets');
  refuseTwice(result.rows ?? [], 'rows');
  if (result.grain === 'unit' && result.models.user === 'human')
    refuse('grain', 'a person answers to a workflow; leave grain out');
  if (agent.system_prompt !== null) {
    agent.system_prompt = textOrFile(agent.system_prompt, folder, 'agent.system_prompt');
    refuseUnknownDates(agent.system_prompt);
  }
  output.results_dir = resultsLocation(output.results_dir, folders);
  return result;
}

function jsonSchema(): SchemaNode {
  const schema = schemaOf('Reprise config of an evaluation on task bundles', agentEvalConfigSchema);
  const text = { type: 'string', minLength: 1 };
  const properties = schema.properties as Record<string, SchemaNode>;
  makeOptional(schema, 'datasets');
  allowModels(schema, AGENT_EVAL_MODELS);
  const { name, ...others } = properties;
  const dataset = { description: 'Short for a list of one.', ...text };
  return { ...schema, properties: { ...(name && { name }), dataset, ...others } };
}

/** Configs of evaluations on task bundles. Models may also be named by environment variables. */
export const agentEvalConfigs: ConfigKind<AgentEvalConfig> = {
  ...NAMES,
  sections: 'datasets, models, agent, user, limits, metrics and output',
  example: 'models.agent.temperature=0',
  rows: 'datasets',
  inFlight: 'rollouts',
  atOnce: 'rollouts',
  flags: AGENT_EVAL_FLAGS,
  models: AGENT_EVAL_MODELS,
  writeOut,
  fillIn: withModelVariables,
  schema: () => agentEvalConfigSchema,
  jsonSchema,
  finish,
  modelsOf: ({ models: { agent, user } }) => ({
    'models.agent': agent,
    ...(user !== null && user !== 'human' && { 'models.user': user }),
  }),
  nameOf: ({ datasets: [first = ''] }) => basename(DATASET_FILE.test(first) ? dirname(first) : first),
  pace: {
    concurrency: 'concurrency',
    fixed: ['limits', 'metrics', 'output', 'tool_timeout_sec', 'grain', ...paceOfModel('models.*')],
    free: ['name'],
  },
  // A config without a present time has that of the evaluation which it continues.
  compared: (config, earlier) => ({ ...config, now: config.now ?? earlier.now }),
};
