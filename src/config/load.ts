import { basename, dirname, extname, resolve } from 'node:path';
import { z } from 'zod';
import { isMapping } from '../contracts/json.js';
import { KINDS } from '../kinds/registry.js';
import { experimentFolderName } from '../storage/paths.js';
import { InvalidInputError } from './errors.js';
import { applyFlags, type FlagValues, flagHint, optionOf } from './flags.js';
import type { ConfigKind, WrittenConfig } from './kind.js';
import { modelFiles } from './model-files.js';
import { assignmentOfModel, withModels } from './model-roles.js';
import { checkSandbox, withFile } from './named-files.js';
import { applyOverride } from './overrides.js';
import { parseConfig } from './parse-config.js';
import { givesResults } from './paths.js';
import { asMapping, invalidConfig, readYaml, THE_INPUT } from './read-config.js';
import { refuseSecrets } from './secrets.js';

/** Input beside a config. */
export interface LoadOptions {
  /** Fields that replace the config's own, given beside it in a start. */
  beside?: WrittenConfig;
  /** Values of command-line flags. */
  flags?: FlagValues;
  /** `--set` assignments; applied after the flags, in order. */
  overrides?: readonly string[];
  /** Working folder; the process's by default. */
  workingFolder?: string;
  /** Environment that may name models; the process's by default. */
  environment?: NodeJS.ProcessEnv;
}

export interface ConfigSource {
  /** Name of the origin in messages. */
  source: string;
  /** Folder that its paths are relative to. */
  folder: string;
  /** Name of a config that gives none. If it is null, the config must give one, or the kind chooses it. */
  fallbackName?: string | null;
}

const THE_COMMAND_LINE = 'the command line';

/** Refuses a config of another kind with the name of the command for it. @throws InvalidInputError */
function refuseOtherKind(raw: WrittenConfig, source: string, { id: own }: Pick<ConfigKind, 'id'>): void {
  const [kind, ...others] = KINDS.filter((one) => one.recognises(raw));
  if (kind === undefined || others.length > 0 || kind.id === own) return;
  throw new InvalidInputError(
    `${source}: this is the config of ${kind.noun}; start it with: reprise ${kind.id}`,
  );
}

/** Prefixes the messages of InvalidInputErrors with the name of the config. */
function inSource<Value>(source: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidInputError) error.message = `${source}: ${error.message}`;
    throw error;
  }
}

/** Applies `--set field=value`; the field may be the name of a flag: `num_iterations=8`. */
function assign(kind: ConfigKind, raw: WrittenConfig, assignment: string, working: string): void {
  const [, name = '', value = ''] = /^\s*(\w+)\s*=(.*)$/s.exec(assignment) ?? [];
  const isField = !kind.setsFlags || name in kind.schema(raw).shape;
  const flag = isField
    ? undefined
    : Object.values(kind.flags).find((one) => optionOf(one) === `--${name.replaceAll('_', '-')}`);
  if (flag === undefined) applyOverride(raw, assignmentOfModel(assignment, kind.models));
  else flag.apply(raw, value.trim(), working);
}

/** Returns a config's mapping with everything beside it applied and all short forms expanded. */
export function editedConfig(
  kind: ConfigKind,
  value: unknown,
  { source, folder }: Pick<ConfigSource, 'source' | 'folder'>,
  { beside = {}, flags = {}, overrides = [], workingFolder: working = process.cwd() }: LoadOptions,
): WrittenConfig {
  const writeOut = (raw: WrittenConfig) => {
    const written = kind.writeOut?.(raw, folder) ?? raw;
    return inSource(source, () => withModels(written, kind.models));
  };
  const given = writeOut({ ...asMapping(value, source, kind.sections), ...beside });
  applyFlags(kind.flags, given, flags, working);
  const raw = writeOut(given);
  for (const assignment of overrides) assign(kind, raw, assignment, working);
  return writeOut(raw);
}

/**
 * Validates a config given as a plain object: fills in every default, makes every path absolute and reads every text of
 * a file. The result is itself a valid input.
 * @throws InvalidInputError with a line for each problem.
 */
export function resolveConfig<Config extends object>(
  kind: ConfigKind<Config>,
  value: unknown,
  { source, folder, fallbackName = null, ...options }: ConfigSource & LoadOptions,
): Config {
  const { workingFolder: working = process.cwd(), environment = process.env } = options;
  const given = editedConfig(kind, value, { source, folder }, options);
  const raw = kind.fillIn?.(given, { working, environment }) ?? given;
  refuseSecrets(raw);
  const schema = kind.schema(raw);
  const parsed = parseConfig(schema, raw);
  if (!parsed.success) {
    refuseOtherKind(raw, source, kind);
    throw invalidConfig(parsed.error, raw, source, kind.jsonSchema(), (field) => flagHint(kind.flags, field));
  }
  return inSource(source, () => {
    const folders = { config: folder, working, resultsGiven: givesResults(raw) };
    const isNamed = 'name' in schema.shape;
    const name = isNamed ? (parsed.data.name ?? fallbackName ?? undefined) : undefined;
    const config = kind.finish({ ...parsed.data, ...(isNamed && { name }) } as unknown as Config, folders);
    for (const [section, lm] of Object.entries(kind.modelsOf(config))) modelFiles(lm, section, folder);
    checkSandbox(config);
    return isNamed ? { ...config, name: checkedName(name ?? kind.nameOf?.(config), kind) } : config;
  });
}

/**
 * Returns a name unchanged.
 * @throws InvalidInputError if it is missing, or has no characters that a folder name can have.
 */
function checkedName(name: unknown, { flags }: ConfigKind): string {
  if (typeof name !== 'string') {
    throw new InvalidInputError(`name: is missing${flagHint(flags, 'name')}`, 'name');
  }
  experimentFolderName(name);
  return name;
}

/**
 * Reads a YAML (or JSON) file into a config; null: the input beside it is the whole config.
 * @throws InvalidInputError as {@link resolveConfig} does, and if there is no such file.
 */
export function loadConfig<Config extends object>(
  kind: ConfigKind<Config>,
  path: string | null,
  options: LoadOptions & Partial<ConfigSource> = {},
): Config {
  const working = options.workingFolder ?? process.cwd();
  if (path === null) {
    const source = { source: THE_COMMAND_LINE, folder: working };
    return resolveConfig(kind, {}, { ...source, ...options });
  }
  const absolute = resolve(working, path);
  const file = readYaml(absolute);
  return withFile(file, options.overrides ?? [], () =>
    resolveConfig(kind, file, {
      source: path,
      folder: dirname(absolute),
      fallbackName: basename(absolute, extname(absolute)),
      ...options,
    }),
  );
}

/**
 * Reads a config as {@link loadConfig} does; without a file, the config may be based on that of an earlier experiment.
 */
export async function readConfig<Config extends object>(
  kind: ConfigKind<Config>,
  path: string | null,
  options: LoadOptions & Partial<ConfigSource> = {},
): Promise<Config> {
  const working = options.workingFolder ?? process.cwd();
  if (path !== null || kind.begunWith === undefined) return loadConfig(kind, path, options);
  const asked = editedConfig(kind, {}, { source: THE_COMMAND_LINE, folder: working }, options);
  const begun = await kind.begunWith(asked, working);
  if (begun === null) return loadConfig(kind, path, options);
  return resolveConfig(kind, begun.value, {
    source: begun.source,
    folder: working,
    ...options,
  });
}

const aText = (what: string) => z.string({ error: `is ${what}, a text` }).nullish();

/** Returns the schema of an input that names a config. */
function referenceSchema({ example, flags, beside = [] }: ConfigKind) {
  const isList = `is a list of texts such as "${example}"`;
  const own = (name: string, what: string) => (name in flags ? { [name]: aText(what) } : {});
  return z.strictObject({
    config_path: aText('the path of a config'),
    set: z.array(z.string({ error: isList }), { error: isList }).nullish(),
    ...own('name', 'the run’s name'),
    ...own('results_dir', 'a folder'),
    ...Object.fromEntries(beside.map((field) => [field, z.unknown().optional()])),
  });
}

/** Reads an input that names a config. @throws InvalidInputError with a line for each field that is wrong. */
function referenceOf(kind: ConfigKind, input: WrittenConfig): { path: string | null; options: LoadOptions } {
  const schema = referenceSchema(kind);
  const read = schema.safeParse(input);
  if (!read.success) {
    const allowed = Object.keys(schema.shape).filter((field) => field !== 'config_path');
    const problems = new Map<string, string>();
    for (const issue of read.error.issues) {
      const isUnknown = issue.code === 'unrecognized_keys';
      const message = isUnknown
        ? `unknown field beside config_path (allowed: ${allowed.join(', ')})`
        : issue.message;
      const fields = isUnknown ? issue.keys : [String(issue.path[0])];
      for (const field of fields) if (!problems.has(field)) problems.set(field, message);
    }
    const lines = [...problems].map(([field, message]) => `${field}: ${message}`);
    throw new InvalidInputError(lines.join('\n'), [...problems.keys()][0]);
  }
  // A null counts as absent.
  const said = Object.entries(read.data).filter(([, value]) => value != null);
  const { config_path = null, set = [], ...rest } = Object.fromEntries(said) as Record<string, unknown>;
  const isBeside = (field: string) => kind.beside?.includes(field) ?? false;
  const of = (wanted: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([field]) => isBeside(field) === wanted));
  return {
    path: config_path as string | null,
    options: { overrides: set as string[], flags: of(false), beside: of(true) },
  };
}

/**
 * Returns the config of a workflow's input: `{config_path, set?, name?, results_dir?}`, or the config itself.
 * @throws InvalidInputError that names the field.
 */
export async function configOf<Config extends object>(
  kind: ConfigKind<Config>,
  input: unknown,
  workflowId: string,
): Promise<Config> {
  if (!isMapping(input)) {
    throw new InvalidInputError(`the input of ${kind.id} is {"config_path": "…"} or a config`);
  }
  const isBegunWith = (kind.beside ?? []).some((field) => input[field] != null) && !kind.recognises(input);
  if (input.config_path == null && !isBegunWith) {
    const source = {
      source: THE_INPUT,
      folder: process.cwd(),
      fallbackName: kind.nameOf ? null : workflowId,
    };
    return resolveConfig(kind, input, source);
  }
  const { path, options } = referenceOf(kind, input);
  return readConfig(kind, path, options);
}
