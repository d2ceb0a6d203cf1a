import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import stableStringify from 'safe-stable-stringify';
import { isMapping } from '../contracts/json.js';
import { InvalidInputError } from './errors.js';

/**
 * Permissions to name files, servers and sandboxes in a start. A person on the command line needs none. A worker
 * enforces its own in each activity, since anyone who reaches the Temporal server may start anything there.
 */

/**
 * Use of a named thing: a file is read, run as code, or written to; a server is sent a key; a sandbox runs programs.
 */
export type Use = 'read' | 'code' | 'write' | 'server' | 'sandbox';

/** Thing that a config or a start names. */
export interface Named {
  /** Field that names it, for messages: `dataset.env_file`. */
  field: string;
  use: Use;
  /** Absolute path of a file or folder, origin of a server, or hash of the config that names a sandbox. */
  what: string;
  /** Extensions that a file must have unless a person typed its name; absent: any. */
  endings?: readonly string[];
}

export interface Permissions {
  /** @throws NotPermittedError if it may not be named. */
  check(named: Named): void;
  /** Records a server or a sandbox that an allowed file names, so that later activities may use it. */
  allow(named: Named): void;
}

/** Error of a start that names something that its worker does not allow. The message quotes nothing of the file. */
export class NotPermittedError extends InvalidInputError {}

/** Extensions of files that are run as code, and of those that hold a config. */
export const CODE_ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
export const CONFIG_ENDINGS = ['.yaml', '.yml', '.json'];

const inForce = new AsyncLocalStorage<Permissions>();

/** Enforces permissions during some work and everything asynchronous that it begins. */
export function withPermissions<Value>(permissions: Permissions, work: () => Value): Value {
  return inForce.run(permissions, work);
}

/** Returns the permissions in force; null: everything is allowed. */
export function permissions(): Permissions | null {
  return inForce.getStore() ?? null;
}

/** Returns everything that some work names, all of which is allowed meanwhile. */
export async function namedIn(work: () => unknown): Promise<Named[]> {
  const found: Named[] = [];
  const note = (named: Named) => void found.push(named);
  await inForce.run({ check: note, allow: note }, async () => work());
  return found;
}

/**
 * Checks that a file may be named, before it is accessed, even to check that it exists.
 * @param path absolute
 * @throws NotPermittedError
 */
export function checkFile(
  field: string,
  path: string,
  use: 'read' | 'code' | 'write' = 'read',
  endings?: readonly string[],
): void {
  permissions()?.check({ field, use, what: path, ...(endings === undefined ? {} : { endings }) });
}

/** Checks that a model's server may be named; the provider's own is always allowed. @throws NotPermittedError */
export function checkServer(field: string, baseUrl: string | undefined): void {
  if (baseUrl !== undefined) permissions()?.check({ field, use: 'server', what: new URL(baseUrl).origin });
}

/** Checks that a sandbox without isolation from the worker's machine may be used. @throws NotPermittedError */
export function checkSandbox(config: { sandbox?: { type: string } }): void {
  if (config.sandbox?.type !== 'process') return;
  permissions()?.check({ field: 'sandbox', use: 'sandbox', what: hashOf(config) });
}

/** Returns the servers that the sections of a config of any kind name. Lists hold data, so they are not searched. */
function serversIn(value: unknown): string[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'base_url' && typeof inner === 'string' && URL.canParse(inner)
      ? [new URL(inner).origin]
      : serversIn(inner),
  );
}

/**
 * Runs some work on a config from an allowed file. The file may name any server for models; it may also name the
 * sandbox, as long as nothing is changed beside the file.
 * @param changes assignments beside the file
 */
export function withFile<Value>(file: unknown, changes: readonly string[], work: () => Value): Value {
  const outer = permissions();
  if (outer === null) return work();
  const servers = serversIn(file);
  const isSaid = ({ use, what }: Named) =>
    use === 'server' ? servers.includes(what) : use === 'sandbox' && changes.length === 0;
  const check = (named: Named) => (isSaid(named) ? outer.allow(named) : outer.check(named));
  return inForce.run({ check, allow: (named) => outer.allow(named) }, work);
}

/** Hashes a whole config: a person who types one config permits no programs of another. */
function hashOf(config: unknown): string {
  return createHash('sha256')
    .update(stableStringify(config) ?? '')
    .digest('hex');
}

/**
 * Returns words for a message that quote a file, or a replacement without a quote: with permissions in force, the
 * message is sent to whoever named the file.
 */
export function quotable(words: string, instead: string): string {
  return permissions() === null ? words : instead;
}
