import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isCheatsheetAgent } from '../../agents/dynamic-cheatsheet/modes.js';
import { BUILT_IN_AGENTS, builtInAgentSchema, customAgentSchema } from '../../config/agent-schemas.js';
import { InvalidInputError } from '../../config/errors.js';
import { fieldFlag, limitFlag, resultsDirFlag, sampleIdFlag } from '../../config/flags.js';
import { allow, branchesOf, makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, WrittenConfig } from '../../config/kind.js';
import { allowModels, type ModelRoles, modelFlags } from '../../config/model-roles.js';
import { checkServer } from '../../config/named-files.js';
import { paceOfModel } from '../../config/pacing.js';
import {
  inputLocation,
  outputLocation,
  requireFile,
  resolveLocation,
  resultsLocation,
} from '../../config/paths.js';
import { readYaml } from '../../config/read-config.js';
import { templateFault } from '../../config/templates.js';
import { textOrFile } from '../../config/text-or-file.js';
import { isMapping, type JsonObject } from '../../contracts/json.js';
import {
  checkCluster,
  checkCombinations,
  checkEpochs,
  checkStopWhen,
  defaultMemory,
} from './combinations.js';
import { NAMES } from './index.js';
import { embeddingModels, judgeModels } from './models.js';
import { type RunConfig, runConfigSchema, runConfigWithCustomAgentSchema } from './schema.js';
import { validatorOf } from './scorers/json-validity.js';
import { COMPARING_PLACEHOLDERS, PLACEHOLDERS } from './scorers/model-graded.js';
import { SCORER_TYPES, type ScorerConfig, writtenScorers } from './scorers/schema.js';

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
function defaultScope({ agent, memory }: WrittenConfig): RunConfig['runtime']['memory_scope'] {
  return says(agent) || says(memory) ? 'run' : 'sample';
}

/** Makes a dataset with choices multiple choice, unless it says otherwise. */
function withTaskType(dataset: unknown): unknown {
  if (!isMapping(dataset) || dataset.task_type != null || dataset.env_class != null) return dataset;
  const { task_type: _none, ...rest } = dataset;
  return rest.choices_field == null && rest.choices == null ? dataset : { ...rest, task_type: 'mcq' };
}

/** Gives a section the model of vectors that it has none of. */
function withVectors(
  section: unknown,
  isAsking: (given: WrittenConfig) => boolean,
  embeddings: WrittenConfig,
): unknown {
  const asks = isMapping(section) && isAsking(section) && section.model == null;
  return asks ? { ...embeddings, ...(withoutNull(section, 'model') as WrittenConfig) } : section;
}

/** Gives the memory and scorers of a config the model of vectors that stands in `models.embeddings`. */
function withEmbeddings(
  { memory, scorers, ...rest }: WrittenConfig,
  embeddings: WrittenConfig,
): WrittenConfig {
  const asksForVectors = ({ backend }: WrittenConfig) => backend === 'embedding';
  const isSimilarity = ({ type }: WrittenConfig) => type === 'similarity';
  return {
    ...rest,
    memory: isMapping(memory)
      ? {
          ...memory,
          ...(memory.retrieval != null && {
            retrieval: withVectors(memory.retrieval, asksForVectors, embeddings),
          }),
        }
      : memory,
    ...(isMapping(scorers) && {
      scorers: Object.fromEntries(
        Object.entries(scorers).map(([name, one]) => [name, withVectors(one, isSimilarity, embeddings)]),
      ),
    }),
  };
}

/**
 * Fills in what may be left out before the schema is applied: which samples share a memory; the types of memory and
 * agent; `type` for `_type`; `sandbox: TYPE`; `task_type: mcq` for choices.
 */
function fillIn(raw: WrittenConfig): WrittenConfig {
  // Null means the same as absent.
  const [memory, agent] = [raw.memory ?? {}, withoutNull(raw.agent ?? {}, 'type', 'file')];
  const runtime = withoutNull(raw.runtime ?? {}, 'memory_scope');
  const result: WrittenConfig = { ...raw, runtime, memory, agent };
  if (isMapping(runtime)) result.runtime = { memory_scope: defaultScope(raw), ...runtime };
  if (isMapping(memory) && memory._type == null) {
    const { type, _type: _none, ...rest } = memory;
    result.memory = { _type: type ?? defaultMemory(isMapping(agent) ? agent : {}), ...rest };
  }
  if (raw.dataset !== undefined) result.dataset = withTaskType(raw.dataset);
  if (raw.scorers != null) result.scorers = writtenScorers(raw.scorers);
  if (typeof raw.sandbox === 'string') result.sandbox = { type: raw.sandbox };
  if (isMapping(agent)) result.agent = { type: 'history_agent', ...agent };
  const { embeddings } = isMapping(raw.models) ? raw.models : {};
  return isMapping(embeddings) ? withEmbeddings(result, embeddings) : result;
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

/** Returns the folder of a dataset's file, or the folder that a dataset is in. */
function folderOf(path: string): string {
  return statSync(path).isDirectory() ? path : dirname(path);
}

/** Makes the paths of a dataset absolute. @throws InvalidInputError for a file that is missing. */
export function locateDataset(dataset: RunConfig['dataset'], folder: string): void {
  const { few_shot } = dataset;
  dataset.dataset_path = inputLocation(dataset.dataset_path, 'dataset.dataset_path', folder);
  if (dataset.image_field !== undefined) {
    const { image_dir, dataset_path } = dataset;
    const beside = dataset_path === undefined ? folder : folderOf(dataset_path);
    dataset.image_dir = inputLocation(image_dir ?? beside, 'dataset.image_dir', folder);
  }
  dataset.run = inputLocation(dataset.run, 'dataset.run', folder);
  dataset.env_file = inputLocation(dataset.env_file, 'dataset.env_file', folder, 'code');
  if (few_shot === undefined) return;
  few_shot.dataset_path = inputLocation(few_shot.dataset_path, 'dataset.few_shot.dataset_path', folder);
}

/** Reads the files that a scorer names, and makes the paths of others absolute. @throws InvalidInputError */
function finishScorer(scorer: ScorerConfig, section: string, folder: string, metaFields: string[]): void {
  const refuse = (field: string, message: string): never => {
    throw new InvalidInputError(`${section}.${field}: ${message}`, `${section}.${field}`);
  };
  const inMetadata = (field: string, value: string) => {
    if (metaFields.some((name) => value === name || value.startsWith(`${name}.`))) return;
    refuse(field, `no row has ${value} in its metadata; name it in dataset.meta_fields, too`);
  };
  if (scorer.label_field !== undefined) inMetadata('label_field', scorer.label_field);
  if (scorer.type === 'code') scorer.file = inputLocation(scorer.file, `${section}.file`, folder, 'code');
  if (scorer.type === 'similarity') checkServer(`${section}.base_url`, scorer.base_url);
  if (scorer.type === 'json_schema' && typeof scorer.schema === 'string') {
    const field = `${section}.schema`;
    const path = inputLocation(scorer.schema, field, folder);
    const schema = readYaml(path, field);
    scorer.schema = isMapping(schema) ? (schema as JsonObject) : refuse('schema', `${path} is no mapping`);
  }
  if (scorer.type === 'json_schema' && scorer.schema !== undefined) {
    try {
      validatorOf(scorer.schema as JsonObject);
    } catch (error) {
      refuse('schema', `is no JSON Schema: ${(error as Error).message}`);
    }
  }
  if (scorer.type !== 'model_graded') return;
  const { compare_with, template, rubric } = scorer;
  if (compare_with !== undefined && compare_with !== 'target') inMetadata('compare_with', compare_with);
  if (rubric !== null) scorer.rubric = textOrFile(rubric, folder, `${section}.rubric`);
  if (template === null) return;
  scorer.template = textOrFile(template, folder, `${section}.template`);
  const isCompared = compare_with !== undefined;
  const fault = templateFault(scorer.template, {
    known: [...(isCompared ? COMPARING_PLACEHOLDERS : PLACEHOLDERS), ...metaFields],
    required: isCompared ? ['answer_a', 'answer_b'] : ['answer'],
  });
  if (fault !== null) refuse('template', fault);
}

/** @throws InvalidInputError if there is a model of the role `judge`, and no scorer asks it. */
function checkJudge({ models, scorers }: RunConfig): void {
  const asks = (one: ScorerConfig) =>
    one.type === 'model_graded' && one.lm === undefined && one.panel === undefined;
  if (models.judge === null || Object.values(scorers).some(asks)) return;
  throw new InvalidInputError(
    'models.judge: no scorer asks it; add one of the type model_graded without a model of its own, or leave it out',
    'models.judge',
  );
}

/** @throws InvalidInputError if there is a model of the role `embeddings`, and nothing asks it. */
function checkEmbeddings({ models, memory, scorers }: RunConfig): void {
  if (models.embeddings === null) return;
  const { model } = models.embeddings;
  if (Object.values(embeddingModels({ memory, scorers })).some((one) => one.model === model)) return;
  throw new InvalidInputError(
    'models.embeddings: nothing asks it; add a scorer of the type similarity or memory.retrieval.backend: embedding, or leave it out',
    'models.embeddings',
  );
}

/** Fills in what depends on other sections, and makes every path absolute. */
function finish(config: RunConfig, folders: Folders): RunConfig {
  const result = structuredClone(config);
  const { dataset, lm, agent, memory, output, runtime, limits } = result;
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
  if (limits.stop_when !== null) {
    const { against } = limits.stop_when;
    limits.stop_when.against = inputLocation(against, 'limits.stop_when.against', folder);
  }
  output.results_dir = resultsLocation(output.results_dir, folders);
  for (const [name, scorer] of Object.entries(result.scorers))
    finishScorer(scorer, `scorers.${name}`, folder, dataset.meta_fields);
  checkJudge(result);
  checkEmbeddings(result);
  checkCluster(result);
  checkEpochs(result);
  checkStopWhen(result);
  checkCombinations(result);
  return result;
}

/** Allows the short forms of scorers. */
function writtenScorersSchema(schema: SchemaNode): void {
  const { scorers } = schema.properties ?? {};
  const named = scorers?.additionalProperties as SchemaNode;
  const text = { type: 'string', minLength: 1 };
  for (const branch of branchesOf(named)) {
    makeOptional(branch, 'type');
    if (branch.properties?.type?.const === 'similarity') makeOptional(branch, 'model');
    if (branch.properties?.lm !== undefined) allow(branch, 'lm', text);
    if (branch.properties?.panel?.items !== undefined) {
      const { panel } = branch.properties;
      panel.items = { anyOf: [panel.items as SchemaNode, text] };
    }
  }
  if (scorers !== undefined) scorers.additionalProperties = { anyOf: [named, { type: 'null' }] };
  allow(schema, 'scorers', { type: 'array', items: { enum: [...SCORER_TYPES] } });
}

const MODELS: ModelRoles = {
  roles: {
    agent: { description: 'the agent' },
    judge: { description: 'who grades for model_graded scorers' },
    embeddings: { description: 'who makes vectors for a memory or similarity scorers' },
  },
  asLm: true,
};

export const runConfigs: ConfigKind<RunConfig> = {
  ...NAMES,
  sections: 'runtime, dataset, lm, models, memory, agent, limits, metrics and output',
  example: 'runtime.num_trials=3',
  rows: 'dataset',
  inFlight: 'episodes',
  atOnce: 'lanes',
  flags: {
    name: fieldFlag('--name <name>', 'name of the run and of its folder', 'name'),
    results_dir: resultsDirFlag(),
    limit: limitFlag('runtime.max_envs_to_visit'),
    sample_id: sampleIdFlag(),
    ...modelFlags(MODELS),
  },
  models: MODELS,
  fillIn,
  schema: ({ agent }) =>
    isMapping(agent) && 'file' in agent ? runConfigWithCustomAgentSchema : runConfigSchema,
  jsonSchema: () => {
    const everyAgent = runConfigSchema.extend({ agent: z.union([builtInAgentSchema, customAgentSchema]) });
    const schema = schemaOf('Reprise run config', everyAgent);
    const { runtime, memory, agent } = schema.properties ?? {};
    allowModels(schema, MODELS);
    for (const key of ['runtime', 'memory', 'agent']) makeOptional(schema, key);
    writtenScorersSchema(schema);
    for (const branch of branchesOf(runtime)) makeOptional(branch, 'memory_scope');
    for (const branch of branchesOf(memory)) makeOptional(branch, '_type');
    for (const branch of branchesOf(agent)) {
      if (branch.properties?.type?.const === 'history_agent') makeOptional(branch, 'type');
    }
    return schema;
  },
  finish,
  modelsOf: (config) => ({ lm: config.lm, ...judgeModels(config) }),
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
      ...paceOfModel('models.*'),
      ...paceOfModel('scorers.*.lm'),
    ],
    free: ['name'],
  },
  // Samples that share a memory run one after another.
  oneByOne: ({ runtime }) => runtime.memory_scope === 'run',
};
