import { InvalidInputError } from '../../config/errors.js';
import { allow, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, WrittenConfig } from '../../config/kind.js';
import { allowModels } from '../../config/model-roles.js';
import { paceOfModel } from '../../config/pacing.js';
import { inputLocation, outputLocation, resolveLocation, resultsLocation } from '../../config/paths.js';
import { SANDBOX_TYPES } from '../../config/sandbox-schema.js';
import { textOrFile } from '../../config/text-or-file.js';
import { isMapping } from '../../contracts/json.js';
import { withoutTrailing } from '../../contracts/trailing.js';
import { openStore } from '../../storage/open.js';
import { BUILT_IN_DOMAINS } from './contracts.js';
import { EVOLVE_FLAGS, EVOLVE_MODELS, isPlace, shortDomain } from './flags.js';
import { findFork, forkedConfig } from './fork.js';
import { NAMES } from './index.js';
import { type EvolveConfig, evolveConfigSchema } from './schema.js';

/** Folder of experiments where neither a config nor a flag names one. */
const DEFAULT_RESULTS = 'experiments';

function refuse(field: string, message: string): never {
  throw new InvalidInputError(`${field}: ${message}`, field);
}

/** Expands short forms: `domain: game24`, `selection: islands`, `sandbox: process`. */
function writeOut(raw: WrittenConfig): WrittenConfig {
  const { domain, selection, sandbox } = raw;
  return {
    ...raw,
    ...(typeof domain === 'string' && { domain: shortDomain(domain) }),
    ...(typeof selection === 'string' && { selection: { type: selection } }),
    ...(typeof sandbox === 'string' && { sandbox: { type: sandbox } }),
  };
}

function checkData({ data }: EvolveConfig): void {
  const files = (['train', 'valid', 'test'] as const).filter((key) => data[key] != null);
  if (data.generate !== undefined) {
    if (files.length > 0) {
      const named = files.map((key) => `data.${key}`).join(' and ');
      refuse('data.generate', `stands beside ${named}; give files or generate, not both`);
    }
    return;
  }
  for (const key of ['train', 'valid'] as const) {
    if (data[key] !== undefined) continue;
    const flag = `--${key}-data`;
    refuse(
      `data.${key}`,
      `is missing; name a file of JSON lines (${flag}), or let data.generate make examples`,
    );
  }
}

function checkDomain({ domain }: EvolveConfig): void {
  if (domain.name === 'custom' && domain.file === undefined) {
    refuse(
      'domain.file',
      'is missing; domain custom needs a TypeScript file that exports score(output, example)',
    );
  }
  if (domain.name !== 'custom' && domain.file !== undefined) {
    refuse('domain.file', `belongs to domain custom, but the domain is ${domain.name}`);
  }
  if (domain.name === 'custom' && Object.keys(domain.options).length > 0) {
    refuse('domain.options', 'a custom domain has none; write them in its file');
  }
}

function checkScaffolds({ evolution: { scaffolds_per_iter, initial_scaffolds } }: EvolveConfig): void {
  if (scaffolds_per_iter <= initial_scaffolds) return;
  refuse(
    'evolution.scaffolds_per_iter',
    `${scaffolds_per_iter} scaffolds cannot be evolved in an iteration where there are ${initial_scaffolds} to begin with; lower it (--scaffolds-per-iter), or raise initial_scaffolds (--initial-scaffolds)`,
  );
}

/** Returns the folder of the experiment that a fork begins from: an address, or a name below the results folder. */
function forkedFolder(experiment: string, results_dir: string, folder: string): string {
  const name = withoutTrailing(experiment, /[\\/]/);
  if (name === '') refuse('fork.experiment', 'name the experiment to begin from');
  return isPlace(name) ? resolveLocation(name, folder, 'fork.experiment') : `${results_dir}/${name}`;
}

function finish(config: EvolveConfig, folders: Folders): EvolveConfig {
  checkScaffolds(config);
  checkData(config);
  checkDomain(config);
  const result = structuredClone(config);
  const { data, domain, output, fork } = result;
  const { config: folder } = folders;
  result.task_prompt = textOrFile(result.task_prompt, folder, 'task_prompt');
  domain.file = inputLocation(domain.file, 'domain.file', folder, 'code');
  data.train = inputLocation(data.train, 'data.train', folder);
  data.valid = inputLocation(data.valid, 'data.valid', folder);
  data.test = inputLocation(data.test, 'data.test', folder);
  output.results_dir = resultsLocation(output.results_dir, folders);
  if (fork !== null) fork.experiment = forkedFolder(fork.experiment, output.results_dir, folder);
  return result;
}

/** Returns the config of the forked experiment, with its examples, for a fork without a config of its own. */
async function begunWith(
  { fork, output }: WrittenConfig,
  working: string,
): Promise<{ value: unknown; source: string } | null> {
  const given = isMapping(output) ? output.results_dir : undefined;
  if (!isMapping(fork)) return null;
  const { experiment, at_iteration } = fork;
  if (typeof experiment !== 'string') {
    refuse('fork.experiment', 'is missing; --fork names the experiment to begin from');
  }
  if (typeof at_iteration !== 'number') {
    refuse(
      'fork.at_iteration',
      `is ${at_iteration ?? 'missing'}; --at-iteration is the number of an iteration that ${experiment} has finished`,
    );
  }
  const results_dir = outputLocation(String(given ?? DEFAULT_RESULTS), 'output.results_dir', working);
  const asked = { experiment: forkedFolder(experiment, results_dir, working), at_iteration };
  const source = await findFork(openStore, results_dir, asked);
  return { value: forkedConfig(source, results_dir), source: `the config of ${experiment}` };
}

/** Returns the schema with the short forms of its sections. */
function jsonSchema(): SchemaNode {
  const schema = schemaOf('Reprise evolution config', evolveConfigSchema);
  const text = { type: 'string', minLength: 1 };
  const shortForms: Record<string, SchemaNode> = {
    // A file's name is the short form of a custom domain.
    domain: {
      anyOf: [{ enum: BUILT_IN_DOMAINS }, { ...text, pattern: '\\.[cm]?[jt]s$' }],
    },
    selection: { enum: ['top_k', 'islands', 'pareto'] },
    sandbox: { enum: [...SANDBOX_TYPES] },
  };
  for (const [key, short] of Object.entries(shortForms)) allow(schema, key, short);
  allowModels(schema, EVOLVE_MODELS);
  return schema;
}

/** Leaves out fields that only an agent uses where a scaffold is written in a single reply. */
function compared(config: EvolveConfig): EvolveConfig {
  const { max_turns: _turns, draft_examples: _drafts, ...rest } = config.scaffolder;
  return rest.mode === 'agent' ? config : { ...config, scaffolder: rest as EvolveConfig['scaffolder'] };
}

/** Configs of evolutions. */
export const evolveConfigs: ConfigKind<EvolveConfig> = {
  ...NAMES,
  sections: 'task_prompt, domain, data, models, evolution, scaffolder, executor, limits and output',
  example: 'selection.type=islands',
  rows: 'data',
  inFlight: 'executions and calls',
  atOnce: 'executions and calls',
  flags: EVOLVE_FLAGS,
  models: EVOLVE_MODELS,
  setsFlags: true,
  writeOut,
  schema: () => evolveConfigSchema,
  jsonSchema,
  finish,
  modelsOf: ({ models: { scaffolder, executor } }) => ({
    'models.scaffolder': scaffolder,
    ...(executor !== null && { 'models.executor': executor }),
  }),
  begunWith,
  beside: ['fork'],
  pace: {
    concurrency: 'evolution.concurrency',
    fixed: ['limits', 'output', ...paceOfModel('models.*')],
    // A running experiment keeps its number of iterations; the same command extends it when it has ended.
    free: ['name', 'evolution.num_iterations'],
  },
  compared,
};
