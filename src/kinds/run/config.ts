import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isCheatsheetAgent } from '../../agents/dynamic-cheatsheet/modes.js';
import { BUILT_IN_AGENTS, builtInAgentSchema, customAgentSchema } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import { fieldFlag, limitFlag, resultsDirFlag, sampleIdFlag } from '../../config/flags.js';
import { branchesOf, makeOptional, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, Written } from '../../config/kind.js';
import { checkServer } from '../../config/named-files.js';
import { paceOfModel } from '../../config/pacing.js';
import {
  inputLocation,
  outputLocation,
  requireFile,
  resolveLocation,
  resultsLocation,
} from '../../config/paths.js';
import { isMapping } from '../../contracts/json.js';
import { checkCluster, checkCombinations, checkEpochs, defaultMemory } from './combinations.js';
import { NAMES } from './index.js';
import { type RunConfig, runConfigSchema, runConfigWithCustomAgentSchema } from './schema.js';

/** Removes those of the named fields of a mapping that are null. */
function withoutNull(value: unknown, ...names: string[]): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => one !== null || !names.includes(name)),
  );
}

/** True if a section contains a value: null means the same as absent. */
function says(section: unknown): boolean {
  return isMapping(section) ? Object.values(section).some((value) => value !== null) : section != null;
}

/** Returns the default scope: samples are independent unless the config names an agent or a memory. */
function defaultScope({ agent, memory }: Written): RunConfig['runtime']['memory_scope'] {
  return says(agent) || says(memory) ? 'run' : 'sample';
}

/** Makes a dataset with choices multiple choice, unless it says otherwise. */
function withTaskType(dataset: unknown): unknown {
  if (!isMapping(dataset) || dataset.task_type != null || dataset.env_class != null) return dataset;
  const { task_type: _none, ...rest } = dataset;
  return rest.choices_field == null && rest.choices == null ? dataset : { ...rest, task_type: 'mcq' };
}

/**
 * Fills in what may be left out before the schema is applied: which samples share a memory; the types of memory and
 * agent; `type` for `_type`; `sandbox: TYPE`; `task_type: mcq` for choices.
 */
function fillIn(raw: Written): Written {
  // Null means the same as absent.
  const [memory, agent] = [raw.memory ?? {}, withoutNull(raw.agent ?? {}, 'type', 'file')];
  const runtime = withoutNull(raw.runtime ?? {}, 'memory_scope');
  const result: Written = { ...raw, runtime, memory, agent };
  if (isMapping(runtime)) result.runtime = { memory_scope: defaultScope(raw), ...runtime };
  if (isMapping(memory) && memory._type == null) {
    const { type, _type: _none, ...rest } = memory;
    result.memory = { _type: type ?? defaultMemory(isMapping(agent) ? agent : {}), ...rest };
  }
  if (raw.dataset !== undefined) result.dataset = withTaskType(raw.dataset);
  if (typeof raw.sandbox === 'string') result.sandbox = { type: raw.sandbox };
  if (isMapping(agent)) result.agent = { type: 'history_agent', ...agent };
  return result;
}

/** Returns a template's text. A value with neither a line break nor a placeholder is the path of a file. */
function template(given: string | null, field: string, folder: string): string | null {
  if (given === null || /[\n{]/.test(given)) return given;
  const path = resolveLocation(given, folder, field);
  requireFile(path, field);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`${field}: ${path} cannot be read: ${(error as Error).message}`, field);
  }
}

/** Makes the paths of a dataset absolute. @throws InvalidInputError for a file that is missing. */
export function locateDataset(dataset: RunConfig['dataset'], folder: string): void {
  const { few_shot } = dataset;
  dataset.dataset_path = inputLocation(dataset.dataset_path, 'dataset.dataset_path', folder);
  dataset.env_file = inputLocation(dataset.env_file, 'dataset.env_file', folder, 'code');
  if (few_shot === undefined) return;
  few_shot.dataset_path = inputLocation(few_shot.dataset_path, 'dataset.few_shot.dataset_path', folder);
}

/** Fills in what depends on other sections, and makes every path absolute. */
function finish(config: RunConfig, folders: Folders): RunConfig {
  const result = structuredClone(config);
  const { dataset, lm, agent, memory, output, runtime } = result;
  if ('file' in agent && (BUILT_IN_AGENTS as readonly string[]).includes(agent.type)) {
    throw new InvalidInputError(
      `agent.type: '${agent.type}' is a built-in agent; give the agent of agent.file a name of its own`,
      'agent.type',
    );
  }
  if (isCheatsheetAgent(agent)) agent.curator_max_tokens ??= 2 * lm.max_output_tokens;
  // With several trials of a sample, feedback that names the target would reveal the answer to a later trial.
  agent.feedback ??= runtime.num_trials > 1 ? 'outcome' : 'full';

  const { config: folder } = folders;
  locateDataset(dataset, folder);
  if ('retrieval' in memory) checkServer('memory.retrieval.base_url', memory.retrieval.base_url);
  if (isCheatsheetAgent(agent)) {
    agent.generator_template = template(agent.generator_template, 'agent.generator_template', folder);
    agent.cheatsheet_template = template(agent.cheatsheet_template, 'agent.cheatsheet_template', folder);
  }
  if ('file' in agent) agent.file = inputLocation(agent.file as string, 'agent.file', folder, 'code');
  if (memory._type === 'own') memory.file = inputLocation(memory.file, 'memory.file', folder, 'code');
  output.load_memory_path = inputLocation(output.load_memory_path, 'output.load_memory_path', folder);
  if (output.save_memory_path !== null) {
    const field = 'output.save_memory_path';
    output.save_memory_path = outputLocation(output.save_memory_path, field, folder, ['.json']);
  }
  output.results_dir = resultsLocation(output.results_dir, folders);
  checkCluster(result);
  checkEpochs(result);
  checkCombinations(result);
  return result;
}

export const runConfigs: ConfigKind<RunConfig> = {
  ...NAMES,
  sections: 'runtime, dataset, lm, memory, agent, limits, metrics and output',
  example: 'runtime.num_trials=3',
  rows: 'dataset',
  inFlight: 'episodes',
  atOnce: 'lanes',
  flags: {
    name: fieldFlag('--name <name>', 'name of the run and of its folder', 'name'),
    results_dir: resultsDirFlag(),
    limit: limitFlag('runtime.max_envs_to_visit'),
    sample_id: sampleIdFlag(),
  },
  fillIn,
  schema: ({ agent }) =>
    isMapping(agent) && 'file' in agent ? runConfigWithCustomAgentSchema : runConfigSchema,
  jsonSchema: () => {
    const everyAgent = runConfigSchema.extend({ agent: z.union([builtInAgentSchema, customAgentSchema]) });
    const schema = schemaOf('Reprise run config', everyAgent);
    const { runtime, memory, agent } = schema.properties ?? {};
    for (const key of ['runtime', 'memory', 'agent']) makeOptional(schema, key);
    for (const branch of branchesOf(runtime)) makeOptional(branch, 'memory_scope');
    for (const branch of branchesOf(memory)) makeOptional(branch, '_type');
    for (const branch of branchesOf(agent)) {
      if (branch.properties?.type?.const === 'history_agent') makeOptional(branch, 'type');
    }
    return schema;
  },
  finish,
  models: ({ lm }) => ({ lm }),
  pace: {
    concurrency: 'runtime.concurrency',
    fixed: [
      'limits',
      'metrics',
      'output.results_dir',
      'output.save_memory_path',
      'output.log_level',
      'dataset.env_timeout_sec',
      'runtime.grain',
      ...paceOfModel('lm'),
    ],
    free: ['name'],
  },
  // Samples that share a memory run one after another.
  oneByOne: ({ runtime }) => runtime.memory_scope === 'run',
};
