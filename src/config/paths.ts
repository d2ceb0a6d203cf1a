import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMapping } from '../contracts/json.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { isCheatsheetAgent } from './combinations.js';
import { InvalidInputError } from './errors.js';
import { checkFile, checkSandbox, checkServer } from './named-files.js';
import type { RunConfig } from './schema.js';
import { hasVariable, NOTHING_REPLACED, upToVariable } from './variables.js';

/** Whether a location is an object store's and so has nothing to do with the file system here. */
export function isRemote(location: string): boolean {
  return location.startsWith('s3://');
}

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;
const HUB_DATASET = /^(?:hf:\/\/|https?:\/\/huggingface\.co\/)datasets\/([^/?#@]+\/[^/?#@]+)/;

/** Of an address that nothing is read from. */
function noFile(location: string): string {
  const [, hubDataset] = HUB_DATASET.exec(location) ?? [];
  const wayOut =
    hubDataset === undefined
      ? `download it first, e.g. with curl -LO ${location}`
      : `give dataset.hf_name: ${hubDataset}, or download it first`;
  return `${location} is an address, and only files of this machine and s3:// are read and written: ${wayOut}`;
}

/**
 * An absolute path, or the remote address as it is. `file://` addresses become paths.
 * @param field where it stands, for messages
 * @throws InvalidInputError of an address of another kind.
 */
export function resolveLocation(location: string, folder: string, field = ''): string {
  if (isRemote(location)) return withoutTrailing(location, /\//);
  if (location.startsWith('file://')) return fileURLToPath(location);
  if (ADDRESS.test(location)) {
    throw new InvalidInputError(`${field === '' ? '' : `${field}: `}${noFile(location)}`, field);
  }
  return isAbsolute(location) ? location : resolve(folder, location);
}

/** @throws InvalidInputError where a location on this machine has nothing, or may not be named. A remote one is not asked. */
export function requireFile(location: string, field: string, use: 'read' | 'code' = 'read'): void {
  if (isRemote(location)) return;
  checkFile(field, location, use);
  if (existsSync(location)) return;
  const note = hasVariable(location) ? `; ${NOTHING_REPLACED}` : '';
  throw new InvalidInputError(`${field}: there is no file at ${location}${note}`, field);
}

/** @throws InvalidInputError where a folder would be made whose name is a variable. */
function refuseVariable(location: string, field: string): void {
  const folder = upToVariable(location);
  if (folder === null || (!isRemote(location) && existsSync(folder))) return;
  throw new InvalidInputError(`${field}: ${location}: ${NOTHING_REPLACED}`, field);
}

/**
 * An input's absolute location; what is not given stays so.
 * @throws InvalidInputError that names the field, where a location on this machine has nothing.
 */
export function inputLocation<Location extends string | null | undefined>(
  location: Location,
  field: string,
  folder: string,
  use: 'read' | 'code' = 'read',
): Location {
  if (location == null) return location;
  const resolved = resolveLocation(location, folder, field);
  requireFile(resolved, field, use);
  return resolved as Location;
}

/**
 * The absolute location of what is written.
 * @param endings that a file must have which nobody typed
 * @throws InvalidInputError where it may not be named.
 */
export function outputLocation(
  location: string,
  field: string,
  folder: string,
  endings?: readonly string[],
): string {
  const resolved = resolveLocation(location, folder, field);
  if (!isRemote(resolved)) checkFile(field, resolved, 'write', endings);
  refuseVariable(resolved, field);
  return resolved;
}

/** Whether a config as it is written gives `output.results_dir`. */
export function givesResults({ output }: Readonly<Record<string, unknown>>): boolean {
  return isMapping(output) && output.results_dir != null;
}

/**
 * The folder that results and servers are kept in where nobody names one: the working folder, or the one around it where
 * that is a task bundle's, which is kept in Git and handed on.
 */
export function homeFolder(working: string): string {
  const isBundle =
    existsSync(join(working, 'task.jsonl')) &&
    readdirSync(working).some((name) => /^reward\.m?[jt]s$/.test(name));
  const around = dirname(working);
  return isBundle && dirname(around) !== around ? around : working;
}

/** `output.results_dir`; where a config does not give it, it is in the {@link homeFolder}. */
export function resultsLocation(
  location: string,
  folders: { config: string; working: string; resultsGiven: boolean },
): string {
  return outputLocation(
    location,
    'output.results_dir',
    folders.resultsGiven ? folders.config : homeFolder(folders.working),
  );
}

/** A template's text. What has neither a line break nor a placeholder is the path of a file. */
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

/**
 * Makes every path of the config absolute against the YAML's folder and checks that inputs exist.
 * A `results_dir` that the config does not give is `results` in the working folder.
 */
export function resolvePaths(
  config: RunConfig,
  folders: { config: string; working: string; resultsGiven: boolean },
): RunConfig {
  const input = <Location extends string | null | undefined>(
    location: Location,
    field: string,
    use?: 'read' | 'code',
  ) => inputLocation(location, field, folders.config, use);

  const result = structuredClone(config);
  const { dataset, lm, agent, memory, output } = result;
  dataset.dataset_path = input(dataset.dataset_path, 'dataset.dataset_path');
  dataset.env_file = input(dataset.env_file, 'dataset.env_file', 'code');
  lm.script = input(lm.script, 'lm.script');
  lm.recording = input(lm.recording, 'lm.recording');
  checkServer('lm.base_url', lm.base_url);
  if ('retrieval' in memory) checkServer('memory.retrieval.base_url', memory.retrieval.base_url);
  if (isCheatsheetAgent(agent)) {
    agent.generator_template = template(agent.generator_template, 'agent.generator_template', folders.config);
    agent.cheatsheet_template = template(
      agent.cheatsheet_template,
      'agent.cheatsheet_template',
      folders.config,
    );
  }
  if ('file' in agent) agent.file = input(agent.file, 'agent.file', 'code');
  output.load_memory_path = input(output.load_memory_path, 'output.load_memory_path');
  if (output.save_memory_path !== null) {
    const field = 'output.save_memory_path';
    output.save_memory_path = outputLocation(output.save_memory_path, field, folders.config, ['.json']);
  }
  output.results_dir = resultsLocation(output.results_dir, folders);
  checkSandbox(result);
  return result;
}
