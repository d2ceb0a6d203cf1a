import { basename, dirname, extname, resolve } from 'node:path';
import { checkedName } from './checked-name.js';
import { refuseOtherKind } from './config-kind.js';
import { InvalidInputError } from './errors.js';
import { checkEvolve } from './evolve-checks.js';
import { applyEvolveOverride, applyFlags, type EvolveFlags, flagHint } from './evolve-flags.js';
import { resolveEvolvePaths } from './evolve-paths.js';
import { type EvolveConfig, evolveConfigSchema } from './evolve-schema.js';
import { withoutShortForms } from './evolve-short-forms.js';
import { evolveConfigJsonSchema } from './json-schema.js';
import type { LoadOptions } from './load.js';
import { withFile } from './named-files.js';
import { parseConfig } from './parse-config.js';
import { givesResults } from './paths.js';
import { asMapping, invalidConfig, readYaml } from './read-config.js';
import { refuseSecrets } from './secrets.js';

const SECTIONS = 'task_prompt, domain, data, evolution, scaffolder, executor, limits and output';

export interface EvolveLoadOptions extends LoadOptions {
  /** Parameters by their flags; `--set` comes after them. */
  flags?: EvolveFlags;
}

export interface EvolveSource {
  /** What the config is called in messages. */
  source: string;
  /** What its paths are relative to. */
  folder: string;
  /** The experiment's name where none is given; null: it has to be. */
  fallbackName: string | null;
}

/**
 * Validates an evolution's config given as a plain object: every default is filled in, every path is absolute, the
 * task prompt is its text. What it answers is accepted again as it is.
 * @throws InvalidInputError with a line for each thing that is wrong.
 */
export function resolveEvolveConfig(
  value: unknown,
  { source, folder, fallbackName, ...options }: EvolveSource & EvolveLoadOptions,
): EvolveConfig {
  const working = options.workingFolder ?? process.cwd();
  let raw = withoutShortForms(asMapping(value, source, SECTIONS));
  const resultsGiven = givesResults(raw);
  applyFlags(raw, options.flags ?? {}, working);
  for (const assignment of options.overrides ?? []) applyEvolveOverride(raw, assignment, working);
  applyFlags(
    raw,
    {
      ...(options.name === undefined ? {} : { experiment_name: options.name }),
      ...(options.resultsDir === undefined ? {} : { results_dir: options.resultsDir }),
    },
    working,
  );
  refuseSecrets(raw);
  raw = withoutShortForms(raw);
  const parsed = parseConfig(evolveConfigSchema, raw);
  if (!parsed.success) {
    refuseOtherKind(raw, source, 'evolve');
    throw invalidConfig(parsed.error, raw, source, { schema: evolveConfigJsonSchema(), hint: flagHint });
  }
  const name = parsed.data.name ?? fallbackName;
  if (name === null) {
    throw new InvalidInputError(`${source}: name: is missing${flagHint('name')}`, 'name');
  }
  const config: EvolveConfig = { ...parsed.data, name: checkedName(name, source) };
  try {
    checkEvolve(config);
    return resolveEvolvePaths(config, { config: folder, working, resultsGiven });
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(`${source}: ${error.message}`, error.field);
  }
}

/**
 * Reads a YAML (or JSON) file into an evolution's config; null: flags and `--set` say everything.
 * @throws InvalidInputError as {@link resolveEvolveConfig} does, and where there is no such file.
 */
export function loadEvolveConfig(path: string | null, options: EvolveLoadOptions = {}): EvolveConfig {
  const working = options.workingFolder ?? process.cwd();
  if (path === null) {
    return resolveEvolveConfig(
      {},
      { source: 'the command line', folder: working, fallbackName: null, ...options },
    );
  }
  const absolute = resolve(working, path);
  const file = readYaml(absolute);
  return withFile(file, options.overrides ?? [], () =>
    resolveEvolveConfig(file, {
      source: path,
      folder: dirname(absolute),
      fallbackName: basename(absolute, extname(absolute)),
      ...options,
    }),
  );
}
