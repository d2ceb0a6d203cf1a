import { isMapping } from '../contracts/json.js';
import { resolveModel } from './language-model-schema.js';
import { resolveLocation } from './paths.js';

type Mapping = Record<string, unknown>;

/** Command-line option for a field of a config. */
export interface Flag {
  /** Option in commander's syntax: `--name <name>`. */
  option: string;
  description: string;
  /** True if it may be given several times: its value is a list. */
  isRepeatable?: true;
  /** Fields whose messages mention the option when they are missing. */
  fields: readonly string[];
  /** Other way to set the field, such as `set MODEL_AGENT`. */
  or?: string;
  /** Writes the value to its field. Paths are relative to the working folder. */
  apply(raw: Mapping, value: unknown, workingFolder: string): void;
}

/** Values of flags by their names. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** Returns the name of a flag as written on a command line: `--name`. */
export function optionOf({ option }: Pick<Flag, 'option'>): string {
  return option.split(' ')[0] as string;
}

/** Returns ` (on the command line: --dataset)` for a field with a flag, else an empty text. */
export function flagHint(flags: Readonly<Record<string, Flag>>, field: string): string {
  const named = Object.values(flags).filter(({ fields }) => fields.includes(field));
  if (named.length === 0) return '';
  const texts = named.map((flag) => optionOf(flag) + (flag.or === undefined ? '' : `, or ${flag.or}`));
  return ` (on the command line: ${texts.join(' and ')})`;
}

/** Writes the values of flags to their fields, in the order of the table. */
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

/** Returns a copy of a section; an empty mapping if it is not a mapping. */
export function sectionOf(raw: Mapping, key: string): Mapping {
  const value = raw[key];
  return isMapping(value) ? { ...value } : {};
}

/** Converts a text to a number; anything else is left to the schema, whose message names the field. */
export function numeric(value: unknown): unknown {
  const text = String(value);
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : value;
}

/** Creates a flag for a field of a section or at the top level. @param read converts the flag's value to the field's */
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

export function numberFlag(option: string, description: string, field: string): Flag {
  return fieldFlag(option, description, field, numeric);
}

/** Creates the flag for `output.results_dir`. @param byDefault shown in the description */
export function resultsDirFlag(byDefault?: string): Flag {
  const description = `a folder, or s3://bucket/prefix${byDefault === undefined ? '' : ` (${byDefault})`}`;
  return fieldFlag('--results-dir <folder>', description, 'output.results_dir', (value, workingFolder) =>
    resolveLocation(String(value), workingFolder, 'output.results_dir'),
  );
}

/** Replaces a model. If the provider changes, fields that only the former provider has are removed. */
export function withModel(given: unknown, model: string): Mapping {
  const before = isMapping(given) ? given : {};
  const { provider, model: name, script, recording, simulation, base_url, ...rest } = before;
  const { extra_body, extra_headers, ...others } = rest;
  const resolvedBefore = resolveModel(provider as never, name as string | undefined);
  const resolved = resolveModel(undefined, model);
  const same =
    'provider' in resolved && 'provider' in resolvedBefore && resolved.provider === resolvedBefore.provider;
  const own = { script, recording, simulation, base_url, extra_body, extra_headers };
  const kept = same ? Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) : {};
  return { ...others, ...kept, model };
}

/** Creates the flag that limits the number of samples. @param field such as `max_samples` */
export function limitFlag(field: string, what = 'samples'): Flag {
  return numberFlag('--limit <n>', `only the first n ${what}`, field);
}

/** Creates the flag that names samples, in place of what `dataset.select` says. */
export function sampleIdFlag(): Flag {
  return {
    option: '--sample-id <id>',
    description: 'only this sample, or several: a,b,c (repeatable)',
    isRepeatable: true,
    fields: ['dataset.select.ids'],
    apply: (raw, given) => {
      raw.dataset = { ...sectionOf(raw, 'dataset'), select: { ids: idsIn(given as readonly string[]) } };
    },
  };
}

/** Reads the ids of `a,b,c`, given several times. */
export function idsIn(given: readonly string[]): string[] {
  return given.flatMap((text) => text.split(',')).map((id) => id.trim());
}
