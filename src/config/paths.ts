import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMapping } from '../contracts/json.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { KINDS } from '../kinds/registry.js';
import { InvalidInputError } from './errors.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import { checkFile, checkServer } from './named-files.js';
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
 * a kind of experiment reads the working folder as what an experiment is about, which is kept in Git and handed on.
 */
export function homeFolder(working: string): string {
  const around = dirname(working);
  const isRead = KINDS.some((kind) => kind.reads?.(working) === true);
  return isRead && dirname(around) !== around ? around : working;
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

/** Makes the files of a model's section absolute, and asks whether its server may be named. @param section such as `agent.lm` */
export function modelFiles(lm: LanguageModelConfig, section: string, folder: string): void {
  lm.script = inputLocation(lm.script, `${section}.script`, folder);
  lm.recording = inputLocation(lm.recording, `${section}.recording`, folder);
  checkServer(`${section}.base_url`, lm.base_url);
}
