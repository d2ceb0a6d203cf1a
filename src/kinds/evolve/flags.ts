import { type Flag, fieldFlag, numberFlag, resultsDirFlag, sectionOf } from '../../config/flags.js';
import type { WrittenConfig } from '../../config/kind.js';
import { type ModelRoles, modelFlag, modelFlags } from '../../config/model-roles.js';
import { resolveLocation } from '../../config/paths.js';
import { textOrFile } from '../../config/text-or-file.js';
import { withoutTrailing } from '../../contracts/trailing.js';

/** Names of code files, which stand for a custom domain. */
const CODE_FILE = /\.[cm]?[jt]s$/;

/** Expands `game24` to `{name: game24}`, `score.ts` to `{name: custom, file: score.ts}`. */
export function shortDomain(domain: string): { name: string; file?: string } {
  return CODE_FILE.test(domain) ? { name: 'custom', file: domain } : { name: domain };
}

/** Reports whether a fork's experiment is a path or an address, and not the name of a folder. */
export function isPlace(experiment: string): boolean {
  return /[\\/]/.test(withoutTrailing(experiment, /[\\/]/));
}

/** Roles of the models of an evolution. */
export const EVOLVE_MODELS: ModelRoles = {
  roles: {
    scaffolder: { description: 'who writes scaffolds' },
    executor: { description: 'whom scaffolds may call, or none (none)' },
  },
};

/** Creates the flag of a file of examples, in place of generated ones. */
function dataFlag(option: string, description: string, part: 'train' | 'valid' | 'test'): Flag {
  const apply = (raw: WrittenConfig, path: unknown, workingFolder: string) => {
    const { generate: _generate, ...data } = sectionOf(raw, 'data');
    raw.data = { ...data, [part]: resolveLocation(String(path), workingFolder) };
  };
  return { option, description, fields: part === 'test' ? [] : ['data', `data.${part}`], apply };
}

export const EVOLVE_FLAGS: Readonly<Record<string, Flag>> = {
  name: fieldFlag('--experiment-name <name>', 'name of the experiment and of its folder', 'name'),
  num_iterations: numberFlag('--num-iterations <n>', 'rounds of evolution (5)', 'evolution.num_iterations'),
  scaffolds_per_iter: numberFlag(
    '--scaffolds-per-iter <n>',
    'scaffolds evolved in each (3)',
    'evolution.scaffolds_per_iter',
  ),
  initial_scaffolds: numberFlag(
    '--initial-scaffolds <n>',
    'scaffolds to begin with (5)',
    'evolution.initial_scaffolds',
  ),
  num_validation_examples: numberFlag(
    '--num-validation-examples <n>',
    'validation examples of an iteration (10)',
    'evolution.num_validation_examples',
  ),
  ...modelFlags(EVOLVE_MODELS),
  // The specification's names of them.
  scaffolder_model: modelFlag(EVOLVE_MODELS, 'scaffolder', '--scaffolder-model'),
  executor_model: modelFlag(EVOLVE_MODELS, 'executor', '--executor-model'),
  task_prompt: fieldFlag(
    '--task-prompt <text or file>',
    'what a scaffold is to do',
    'task_prompt',
    (prompt, workingFolder) => textOrFile(String(prompt), workingFolder, 'task_prompt'),
  ),
  train_data: dataFlag(
    '--train-data <file>',
    'training examples, JSON lines of id, input and what the scorer needs',
    'train',
  ),
  valid_data: dataFlag('--valid-data <file>', 'validation examples', 'valid'),
  test_data: dataFlag('--test-data <file>', 'test examples: the best scaffold is reported on them', 'test'),
  domain: {
    option: '--domain <name or file>',
    description: 'how outputs are scored: a built-in domain, or a TypeScript file of your own',
    fields: ['domain', 'domain.name'],
    apply: (raw, given, workingFolder) => {
      const { file, name } = shortDomain(String(given));
      const before = sectionOf(raw, 'domain');
      // Options belong to one domain; naming the same domain again keeps them.
      if (file !== undefined) raw.domain = { name, file: resolveLocation(file, workingFolder) };
      else raw.domain = before.name === name ? before : { name };
    },
  },
  seed: numberFlag('--seed <n>', 'seeds every random choice (0)', 'seed'),
  timeout_sec: numberFlag('--timeout-sec <seconds>', 'time of one execution (120)', 'timeout_sec'),
  results_dir: resultsDirFlag('experiments'),
  fork: fieldFlag(
    '--fork <experiment>',
    'begin with what another experiment has: its folder’s name, or its path',
    'fork.experiment',
    (experiment, workingFolder) =>
      isPlace(String(experiment)) ? resolveLocation(String(experiment), workingFolder) : experiment,
  ),
  at_iteration: numberFlag(
    '--at-iteration <n>',
    'with --fork: after which of its iterations',
    'fork.at_iteration',
  ),
};
