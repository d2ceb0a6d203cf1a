import { isMapping } from '../contracts/json.js';
import { resolveModel } from './language-model-schema.js';
import { resolveLocation } from './paths.js';

type Mapping = Record<string, unknown>;

/** An option of the command line that stands for a field of a config. */
export interface Flag {
  /** As commander takes it: `--name <name>`. */
  option: string;
  description: string;
  /** The fields it is named for where they are missing. */
  fields: readonly string[];
  /** What else gives the field, such as `set MODEL_AGENT`. */
  or?: string;
  /** Writes the value to its field. A path is relative to the working folder. */
  apply(raw: Mapping, value: unknown, workingFolder: string): void;
}

/** Values of flags by their names. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** Names a flag as a command line does: `--name`. */
export function optionOf({ option }: Pick<Flag, 'option'>): string {
  return option.split(' ')[0] as string;
}

/** Says ` (on the command line: --dataset)` of a field that has a flag. */
export function flagHint(flags: Readonly<Record<string, Flag>>, field: string): string {
  const named = Object.values(flags).filter(({ fields }) => fields.includes(field));
  if (named.length === 0) return '';
  const texts = named.map((flag) => optionOf(flag) + (flag.or === undefined ? '' : `, or ${flag.or}`));
  return ` (on the command line: ${texts.join(' and ')})`;
}

/** Writes flags to the fields that they stand for, in the order of the table. */
export function applyFlags(
  flags: Readonly<Record<string, Flag>>,
  raw: Mapping,
  values: FlagValues,
  workingFolder: string,
): void {
  for (const [name, flag] of Object.entries(flags)) {
    const value = values[name];
    if (value !== undefined) flag.apply(raw, value, workingFolder);
  }
}

/** A section as a mapping of its own; empty where it is none. */
export function sectionOf(raw: Mapping, key: string): Mapping {
  const value = raw[key];
  return isMapping(value) ? { ...value } : {};
}

/** A number where it is one; anything else is left to the schema, whose message names the field. */
function numeric(value: unknown): unknown {
  const text = String(value);
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : value;
}

/** Makes a flag for a field of a section, or at the top; `read` makes the field's value of the flag's. */
export function fieldFlag(
  option: string,
  description: string,
  field: string,
  read: (value: unknown, workingFolder: string) => unknown = (value) => value,
): Flag {
  const [section, name] = field.split('.') as [string, string | undefined];
  return {
    option,
    description,
    fields: [field],
    apply: (raw, value, workingFolder) => {
      const own = read(value, workingFolder);
      raw[section] = name === undefined ? own : { ...sectionOf(raw, section), [name]: own };
    },
  };
}

/** Makes a flag for a number. */
export function numberFlag(option: string, description: string, field: string): Flag {
  return fieldFlag(option, description, field, numeric);
}

/** Makes the flag for `output.results_dir`. @param byDefault is shown */
export function resultsDirFlag(byDefault?: string): Flag {
  const description = `a folder, or s3://bucket/prefix${byDefault === undefined ? '' : ` (${byDefault})`}`;
  return fieldFlag('--results-dir <folder>', description, 'output.results_dir', (value, workingFolder) =>
    resolveLocation(String(value), workingFolder, 'output.results_dir'),
  );
}

/** Gives a section another model. What belongs to the provider before, and to no other, goes. */
export function withModel(section: Mapping, model: string): Mapping {
  const before = isMapping(section.lm) ? section.lm : {};
  const { provider, model: name, script, recording, simulation, base_url, ...others } = before;
  const resolvedBefore = resolveModel(provider as never, name as string | undefined);
  const resolved = resolveModel(undefined, model);
  const same =
    'provider' in resolved && 'provider' in resolvedBefore && resolved.provider === resolvedBefore.provider;
  const own = { script, recording, simulation, base_url };
  const kept = same ? Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) : {};
  return { ...section, lm: { ...others, ...kept, model } };
}
