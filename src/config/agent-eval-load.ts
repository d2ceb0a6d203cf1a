import { basename, dirname, extname, resolve } from 'node:path';
import { isMapping } from '../contracts/json.js';
import { experimentFolderName } from '../storage/paths.js';
import {
  type AgentEvalFlags,
  agentEvalFlagHint,
  applyAgentEvalFlags,
  applyModelVariables,
} from './agent-eval-flags.js';
import { resolveAgentEvalPaths } from './agent-eval-paths.js';
import { type AgentEvalConfig, agentEvalConfigSchema } from './agent-eval-schema.js';
import { withoutAgentEvalShortForms } from './agent-eval-short-forms.js';
import { refuseOtherKind } from './config-kind.js';
import { InvalidInputError } from './errors.js';
import { agentEvalConfigJsonSchema } from './json-schema.js';
import type { LoadOptions } from './load.js';
import { withFile } from './named-files.js';
import { applyOverride } from './overrides.js';
import { parseConfig } from './parse-config.js';
import { givesResults, resolveLocation } from './paths.js';
import { asMapping, invalidConfig, readYaml } from './read-config.js';
import { refuseSecrets } from './secrets.js';

const SECTIONS = 'datasets, agent, user, limits and output';
/** The dataset of a folder is named by the folder. */
const DATASET_FILE = /\.jsonl?$/;

export interface AgentEvalLoadOptions extends LoadOptions {
  /** What the command line says; `--set` comes after it. */
  flags?: AgentEvalFlags;
  /** Where `MODEL_AGENT` and `MODEL_SIM` may name models. Default: the process's. */
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface AgentEvalSource {
  /** What the config is called in messages. */
  source: string;
  /** What its paths are relative to. */
  folder: string;
  /** The run's name where none is given; null: the name of the first bundle's folder. */
  fallbackName: string | null;
}

function bundleName(dataset: string): string {
  return basename(DATASET_FILE.test(dataset) ? dirname(dataset) : dataset);
}

/**
 * Validates the config of an evaluation on task bundles, given as a plain object: every default is filled in, every path
 * is absolute, the system prompt is its text. What it answers is accepted again as it is.
 * @throws InvalidInputError with a line for each thing that is wrong.
 */
export function resolveAgentEvalConfig(
  value: unknown,
  { source, folder, fallbackName, ...options }: AgentEvalSource & AgentEvalLoadOptions,
): AgentEvalConfig {
  const working = options.workingFolder ?? process.cwd();
  let raw = withoutAgentEvalShortForms(asMapping(value, source, SECTIONS));
  const resultsGiven = givesResults(raw);
  applyAgentEvalFlags(raw, options.flags ?? {}, working);
  for (const assignment of options.overrides ?? []) applyOverride(raw, assignment);
  if (options.name !== undefined) raw.name = options.name;
  if (options.resultsDir !== undefined) {
    const results_dir = resolveLocation(options.resultsDir, working);
    raw.output = { ...(isMapping(raw.output) ? raw.output : {}), results_dir };
  }
  raw = withoutAgentEvalShortForms(raw);
  applyModelVariables(raw, options.environment ?? process.env, working);
  refuseSecrets(raw);
  const parsed = parseConfig(agentEvalConfigSchema, raw);
  if (!parsed.success) {
    refuseOtherKind(raw, source, 'agent-eval');
    throw invalidConfig(parsed.error, raw, source, {
      schema: agentEvalConfigJsonSchema(),
      hint: agentEvalFlagHint,
    });
  }
  try {
    const folders = { config: folder, working, resultsGiven };
    const { datasets, ...rest } = resolveAgentEvalPaths({ ...parsed.data, name: '' }, folders);
    const name = parsed.data.name ?? fallbackName ?? bundleName(datasets[0] as string);
    // Its folder is named by it.
    experimentFolderName(name);
    return { ...rest, datasets, name };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(`${source}: ${error.message}`, error.field);
  }
}

/**
 * Reads a YAML (or JSON) file into the config of an evaluation; null: flags and `--set` say everything.
 * @throws InvalidInputError as {@link resolveAgentEvalConfig} does, and where there is no such file.
 */
export function loadAgentEvalConfig(
  path: string | null,
  options: AgentEvalLoadOptions = {},
): AgentEvalConfig {
  const working = options.workingFolder ?? process.cwd();
  if (path === null) {
    const source = { source: 'the command line', folder: working, fallbackName: null };
    return resolveAgentEvalConfig({}, { ...source, ...options });
  }
  const absolute = resolve(working, path);
  const file = readYaml(absolute);
  return withFile(file, options.overrides ?? [], () =>
    resolveAgentEvalConfig(file, {
      source: path,
      folder: dirname(absolute),
      fallbackName: basename(absolute, extname(absolute)),
      ...options,
    }),
  );
}
