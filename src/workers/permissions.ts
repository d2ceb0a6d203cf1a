import { lstatSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { Client } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import { type Named, NotPermittedError, namedIn, type Permissions } from '../config/named-files.js';
import { isRemote } from '../config/paths.js';
import { configuredServer } from './connection.js';
import { StateFolder, stateFolder, type TypedNote } from './state-folder.js';

/** Permissions of a worker for things that no person has typed on its machine. */
export interface Allowed {
  /** Real paths. */
  folders: readonly string[];
  /** Origins; null: any. */
  servers: readonly string[] | null;
  /** True if a config may use this machine's python3. */
  processSandbox: boolean;
}

/** Servers of the model vendors. */
const VENDORS = [
  'https://api.openai.com',
  'https://generativelanguage.googleapis.com',
  'https://api.anthropic.com',
];

const FOLDERS = 'REPRISE_ALLOWED_FOLDERS';
const SERVERS = 'REPRISE_ALLOWED_SERVERS';
const SANDBOXES = 'REPRISE_ALLOWED_SANDBOXES';

/**
 * Resolves all links of a path. For a missing path, its nearest existing parent folder is resolved.
 * @param path absolute
 * @returns null for a broken link: a write through it could go anywhere.
 */
function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return null;
    const parent = dirname(path);
    if (parent === path) return null;
    const above = realPathOf(parent);
    return above === null ? null : join(above, basename(path));
  }
}

/** Returns the parts of the path from a folder to a path in it; null if it is elsewhere. Both are real paths. */
function wayWithin(folder: string, path: string): string[] | null {
  const way = relative(folder, path).split(sep);
  if (way[0] === '..') return null;
  return way.filter((part) => part !== '');
}

/** Lists a path and all its parent folders. */
function* upwardsFrom(path: string): Generator<string> {
  for (let at = path; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

function serversIn(given: string): string[] {
  const addresses = given.split(/[\s,]+/).filter((address) => address !== '' && address !== 'none');
  return addresses.map((address) => {
    if (URL.canParse(address)) return new URL(address).origin;
    throw new InvalidInputError(`${SERVERS}: ${address} is no address; write http://host:port`);
  });
}

function sandboxesIn(given: string): string[] {
  const types = given.split(/[\s,]+/).filter((type) => type !== '');
  const unknown = types.find((type) => type !== 'docker' && type !== 'process');
  if (unknown === undefined) return types;
  throw new InvalidInputError(`${SANDBOXES}: ${unknown} is no sandbox; there are docker and process`);
}

/** Returns the working folder; empty for `/`, the default of services, which would allow everything. */
function workingFolder(): string {
  const folder = process.cwd();
  return folder === dirname(folder) ? '' : folder;
}

/**
 * Reads a worker's permissions from its environment variables.
 * @param watchesServers true if only the vendors' own servers are allowed by default
 * @throws InvalidInputError that names the variable.
 */
export function allowedBy(environment: NodeJS.ProcessEnv, watchesServers: boolean): Allowed {
  const folders = (environment[FOLDERS] || workingFolder())
    .split(delimiter)
    .filter((folder) => folder !== '');
  const servers = environment[SERVERS];
  return {
    folders: folders.flatMap((folder) => realPathOf(resolve(folder)) ?? []),
    servers: servers || watchesServers ? [...VENDORS, ...serversIn(servers ?? '')] : null,
    processSandbox: sandboxesIn(environment[SANDBOXES] ?? '').includes('process'),
  };
}

/** Reports whether an entry is a local path, whose links are resolved. */
function isPath({ use, what }: TypedNote): boolean {
  return use !== 'server' && use !== 'sandbox' && !isRemote(what);
}

/** Reports whether a path part may hold keys, histories or foreign code. */
function isWithheld(part: string): boolean {
  return part.startsWith('.') || part === 'node_modules';
}

/**
 * Permissions of a worker for experiments that anybody may start: files in its folders, and what this user has typed on
 * this machine. A hidden file, such as .env, is allowed if it was typed.
 */
export class KeptPermissions implements Permissions {
  /** Servers and sandboxes named by allowed files. */
  private readonly said = new Set<string>();

  constructor(
    private readonly allowed: Allowed,
    private readonly typed: Pick<StateFolder, 'has' | 'enter'>,
  ) {}

  check(named: Named): void {
    if (!this.isOwn(named) && !this.wasTyped(named)) throw refusal(named, this.allowed);
  }

  allow(named: Named): void {
    if (this.isOwn(named)) return;
    this.said.add(`${named.use} ${named.what}`);
    try {
      this.typed.enter(entryOf(named));
    } catch {
      // Another worker of this machine will need its own permission.
    }
  }

  /** Reports whether it is allowed without having been typed. */
  isOwn({ use, what, endings }: Named): boolean {
    const { folders, servers, processSandbox } = this.allowed;
    if (use === 'server') return servers === null || servers.includes(what);
    if (use === 'sandbox') return processSandbox;
    if (endings !== undefined && !endings.includes(extname(what))) return false;
    const real = isRemote(what) ? null : realPathOf(what);
    return (
      real !== null && folders.some((folder) => wayWithin(folder, real)?.every((part) => !isWithheld(part)))
    );
  }

  private wasTyped({ use, what }: Named): boolean {
    if (!isPath({ use, what })) return this.said.has(`${use} ${what}`) || this.typed.has({ use, what });
    const real = realPathOf(what);
    return real !== null && [...upwardsFrom(real)].some((place) => this.typed.has({ use, what: place }));
  }
}

const WAY_OUT = 'Start it with the reprise command on the worker’s machine';

function refusal({ field, use, what, endings }: Named, { folders }: Allowed): NotPermittedError {
  const message = (): string => {
    if (use === 'server') {
      return `${what} would be sent the worker’s key, and it allows that for no start from elsewhere. ${WAY_OUT}, or name the server there in ${SERVERS}`;
    }
    if (use === 'sandbox') {
      return `process runs programs with all rights of the worker, and it allows that for no start from elsewhere. ${WAY_OUT}, or set ${SANDBOXES}=process there`;
    }
    const kinds = endings === undefined ? '' : ` that end in ${endings.join(', ')}`;
    const those = folders.length === 0 ? 'none' : `those below ${folders.join(', ')}${kinds}`;
    return `${what} is none of the files that this worker allows for starts from elsewhere: ${those}, nothing hidden and no package. ${WAY_OUT}, or name the folder there in ${FOLDERS}`;
  };
  return new NotPermittedError(`${field}: ${message()}`, field);
}

/** Returns the unique ID of a client's namespace. */
export async function namespaceIdOf(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id || namespace;
}

/** Returns the entries for a named thing, with real paths: a link may change later. */
function entryOf({ use, what }: Named): TypedNote[] {
  if (!isPath({ use, what })) return [{ use, what }];
  const real = realPathOf(what);
  return real === null ? [] : [{ use, what: real }];
}

/**
 * Notes what a person has typed, so that this machine's workers on that server allow it.
 * @param read reads the input of the start, as a worker does
 * @throws InvalidInputError if nothing can be noted, and the worker would refuse it.
 */
export async function permitTyped(
  client: Client,
  read: () => unknown,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const named = await namedIn(read);
  const root = stateFolder(environment);
  const state = new StateFolder(root, await namespaceIdOf(client));
  try {
    state.enter(named.flatMap(entryOf));
  } catch (error) {
    // Checked for a worker in the same folder. One elsewhere reports the refusal itself.
    const isEmbedded = configuredServer(environment) === null;
    const own = new KeptPermissions(allowedBy(environment, isEmbedded), state);
    const refused = named.find((one) => !own.isOwn(one));
    if (refused === undefined) return;
    throw new InvalidInputError(
      `${refused.field}: nobody but you may name ${refused.what}, and that you have cannot be noted in ${root}: ${(error as Error).message}. REPRISE_STATE_DIR names another folder`,
      refused.field,
    );
  }
}
