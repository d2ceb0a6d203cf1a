import { InvalidInputError } from '../config/errors.js';
import type { LoadOptions } from '../config/load.js';

/**
 * What a workflow's input says beside `config_path`: `set`, `name` and `results_dir`, as a config is loaded with them.
 * @param beside the input's other fields
 * @param example an assignment, for messages; `further`: fields that the kind of experiment knows as well
 * @throws InvalidInputError that names the field which there is not, or which is wrong.
 */
export function besideConfigPath(
  beside: Readonly<Record<string, unknown>>,
  { example, further = [] }: { example: string; further?: readonly string[] },
): LoadOptions {
  const { set = [], name, results_dir, ...unknown } = beside;
  const extra = Object.keys(unknown)[0];
  if (extra !== undefined) {
    const allowed = ['set', 'name', 'results_dir', ...further].join(', ');
    throw new InvalidInputError(`${extra}: unknown field beside config_path (allowed: ${allowed})`, extra);
  }
  if (!Array.isArray(set) || set.some((one) => typeof one !== 'string')) {
    throw new InvalidInputError(`set: is a list of texts such as "${example}"`, 'set');
  }
  return {
    overrides: set,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof results_dir === 'string' ? { resultsDir: results_dir } : {}),
  };
}
