import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMapping } from '../contracts/json.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { KINDS } from '../kinds/registry.js';
import { InvalidInputError } from './errors.js';
import { checkFile } from './named-files.js';
import { missingPackage } from './optional-packages.js';
import { hasVariable, NOTHING_REPLACED, upToVariable } from './variables.js';

/** Reports whether a location is in an object store, not in the local file system. */
export function isRemote(location: string): boolean {
  return location.startsWith('s3://');
}

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;
const HUB_DATASET = /^(?:hf:\/\/|https?:\/\/huggingface\.co\/)datasets\/([^/?#@]+\/[^/?#@]+)/;

/** Returns the message about an address that cannot be read. */
function noFile(location: string): string {
  const [, hubDataset] = HUB_DATASET.exec(location) ?? [];
  const wayOut =
    hubDataset === undefined
      ? `download it first, e.g. with curl -LO ${location}`
      : `give dataset.hf_name: ${hubDataset}, or download it first`;
  return `${location} is an address, and only files of this machine and s3:// are read and written: ${wayOut}`;
}

/**
 * Returns an absolute path, or a remote address unchanged. `file://` addresses become paths.
 * @param field field of the location, for messages
 * @throws InvalidInputError for any other address.
 */
export function resolveLocation(location: string, folder: string, field = ''): string {
  if (isRemote(location)) {
    const uninstalled = missingPackage('s3');
    if (uninstalled === null) return withoutTrailing(location, /\//);
    throw new InvalidInputError(`${field === '' ? '' : `${field}: `}${uninstalled}`, field);
  }
  if (location.startsWith('file://')) return fileURLToPath(location);
  if (ADDRESS.test(location)) {
    throw new InvalidInputError(`${field === '' ? '' : `${field}: `}${noFile(location)}`, field);
  }
  return isAbsolute(location) ? location : resolve(folder, location);
}

/** Checks that a local file exists and may be named; remote locations are not checked. @throws InvalidInputError */
export function requireFile(location: string, field: string, use: 'read' | 'code' = 'read'): void {
  if (isRemote(location)) return;
  checkFile(field, location, use);
  if (existsSync(location)) return;
  const note = hasVariable(location) ? `; ${NOTHING_REPLACED}` : '';
  throw new InvalidInputError(`${field}: there is no file at ${location}${note}`, field);
}

/** @throws InvalidInputError if a folder would be created whose name contains a variable. */
function refuseVariable(location: string, field: string): void {
  const folder = upToVariable(location);
  if (folder === null || (!isRemote(location) && existsSync(folder))) return;
  throw new InvalidInputError(`${field}: ${location}: ${NOTHING_REPLACED}`, field);
}

/**
 * Returns the absolute location of an input; null and undefined stay unchanged.
 * @throws InvalidInputError that names the field, if nothing exists at a local location.
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
 * Returns the absolute location of an output.
 * @param endings extensions that a file must have unless a person typed its name
 * @throws InvalidInputError if it may not be named.
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

/** Reports whether a config as written gives `output.results_dir`. */
export function givesResults({ output }: Readonly<Record<string, unknown>>): boolean {
  return isMapping(output) && output.results_dir != null;
}

/**
 * Returns the default folder for results and servers: the working folder, or its parent if the working folder is itself
 * the input of an experiment, which is kept in Git and shared.
 */
export function homeFolder(working: string): string {
  const around = dirname(working);
  const isRead = KINDS.some((kind) => kind.reads?.(working) === true);
  return isRead && dirname(around) !== around ? around : working;
}

/** Returns `output.results_dir`; if the config does not give it, it is in the {@link homeFolder}. */
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
