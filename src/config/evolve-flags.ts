import { sectionOf, shortDomain } from './evolve-short-forms.js';
import { numeric, withModel } from './flag-values.js';
import { applyOverride } from './overrides.js';
import { resolveLocation } from './paths.js';
import { textOrFile } from './text-or-file.js';

type Mapping = Record<string, unknown>;

/** The parameters of an experiment that have a flag of their own: `num_iterations` is `--num-iterations`. */
export const EVOLVE_PARAMETERS = [
  'experiment_name',
  'num_iterations',
  'scaffolds_per_iter',
  'initial_scaffolds',
  'num_validation_examples',
  'scaffolder_model',
  'executor_model',
  'task_prompt',
  'train_data',
  'valid_data',
  'test_data',
  'domain',
  'seed',
  'timeout_sec',
  'results_dir',
] as const;
export type EvolveParameter = (typeof EVOLVE_PARAMETERS)[number];

/** Values as they stand on a command line. */
export type EvolveFlags = Partial<Record<EvolveParameter, string>>;

/** The flag of a field, for messages on one that is missing. */
const FLAG_OF_FIELD: Readonly<Record<string, string>> = {
  name: '--experiment-name',
  task_prompt: '--task-prompt',
  domain: '--domain',
  'domain.name': '--domain',
  data: '--train-data and --valid-data',
  'data.train': '--train-data',
  'data.valid': '--valid-data',
  scaffolder: '--scaffolder-model',
  'scaffolder.lm': '--scaffolder-model',
};

/** ` (on the command line: --task-prompt)`, where the field has a flag. */
export function flagHint(field: string): string {
  const flag = FLAG_OF_FIELD[field];
  return flag === undefined ? '' : ` (on the command line: ${flag})`;
}

/** Writes a parameter to its field. Paths are those of a command line: relative to the working folder. */
function applyParameter(raw: Mapping, name: EvolveParameter, value: string, workingFolder: string): void {
  switch (name) {
    case 'experiment_name':
      raw.name = value;
      return;
    case 'num_iterations':
    case 'scaffolds_per_iter':
    case 'initial_scaffolds':
    case 'num_validation_examples':
      raw.evolution = { ...sectionOf(raw, 'evolution'), [name]: numeric(value) };
      return;
    case 'scaffolder_model':
      raw.scaffolder = withModel(sectionOf(raw, 'scaffolder'), value);
      return;
    case 'executor_model':
      raw.executor = value === 'none' ? null : withModel(sectionOf(raw, 'executor'), value);
      return;
    case 'task_prompt':
      raw.task_prompt = textOrFile(value, workingFolder, 'task_prompt');
      return;
    case 'train_data':
    case 'valid_data':
    case 'test_data': {
      // Files take the place of generated examples.
      const { generate: _generate, ...data } = sectionOf(raw, 'data');
      raw.data = { ...data, [name.replace('_data', '')]: resolveLocation(value, workingFolder) };
      return;
    }
    case 'domain': {
      const { file, name: domain } = shortDomain(value) as { file?: string; name: string };
      const before = sectionOf(raw, 'domain');
      // Options are the domain's own; its name alone, said once more, changes nothing.
      if (file !== undefined) raw.domain = { name: domain, file: resolveLocation(file, workingFolder) };
      else raw.domain = before.name === domain ? before : { name: domain };
      return;
    }
    case 'seed':
    case 'timeout_sec':
      raw[name] = numeric(value);
      return;
    case 'results_dir':
      raw.output = { ...sectionOf(raw, 'output'), results_dir: resolveLocation(value, workingFolder) };
  }
}

/** Writes flags to the fields that they stand for. */
export function applyFlags(raw: Mapping, flags: EvolveFlags, workingFolder: string): void {
  for (const name of EVOLVE_PARAMETERS) {
    const value = flags[name];
    if (value !== undefined) applyParameter(raw, name, value, workingFolder);
  }
}

/** `--set field=value`, where the field may also be a parameter: `scaffolder_model=gemini/gemini-2.5-pro`. */
export function applyEvolveOverride(raw: Mapping, assignment: string, workingFolder: string): void {
  const equals = assignment.indexOf('=');
  const name = assignment.slice(0, Math.max(equals, 0)).trim();
  // These four are fields as they are, and may be set to more than a text.
  const isField = ['task_prompt', 'domain', 'seed', 'timeout_sec'].includes(name);
  const parameter = EVOLVE_PARAMETERS.find((one) => one === name);
  if (parameter === undefined || isField) applyOverride(raw, assignment);
  else applyParameter(raw, parameter, assignment.slice(equals + 1).trim(), workingFolder);
}
