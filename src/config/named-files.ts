import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { isMapping } from '../contracts/json.js';
import { InvalidInputError } from './errors.js';

/**
 * What a start may name. Where a person has typed it nothing is in force and everything is allowed. A worker puts its
 * permissions in force around each activity, since whoever reaches the Temporal server may start anything there.
 */

/** What becomes of a thing that is named: a file is read, run as code, or written to; a server is sent a key. */
export type Use = 'read' | 'code' | 'write' | 'server' | 'sandbox';

/** A thing that a config or a start names. */
export interface Named {
  /** Where it is named, for messages: `dataset.env_file`. */
  field: string;
  use: Use;
  /** The absolute path of a file or folder, a server's origin, or a hash of the config that asks for a sandbox. */
  what: string;
  /** Endings that a file must have which nobody typed; absent: any. */
  endings?: readonly string[];
}

export interface Permissions {
  /** @throws NotPermittedError where it may not be named. */
  check(named: Named): void;
  /** Hears of a server or a sandbox that an allowed file names: what is prepared with it goes on with it. */
  allow(named: Named): void;
}

/** What a start names is none of what its worker allows. The message quotes nothing of the file. */
export class NotPermittedError extends InvalidInputError {}

/** Endings of files that are run as code, and of those that hold a config. */
export const CODE_ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
export const CONFIG_ENDINGS = ['.yaml', '.yml', '.json'];

const inForce = new AsyncLocalStorage<Permissions>();

/** Does something with these permissions in force, and everything that it begins. */
export function withPermissions<Value>(permissions: Permissions, work: () => Value): Value {
  return inForce.run(permissions, work);
}

/** Those in force; null where everything is allowed. */
export function permissions(): Permissions | null {
  return inForce.getStore() ?? null;
}

/** Notes what is named while something is done; all of it is allowed meanwhile. */
export async function namedIn(work: () => unknown): Promise<Named[]> {
  const found: Named[] = [];
  const note = (named: Named) => void found.push(named);
  await inForce.run({ check: note, allow: note }, async () => work());
  return found;
}

/**
 * To be called before anything is asked of a file, also whether it is there.
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

/** The same of the server that a model is asked at; the provider's own is named by nobody. @throws NotPermittedError */
export function checkServer(field: string, baseUrl: string | undefined): void {
  if (baseUrl !== undefined) permissions()?.check({ field, use: 'server', what: new URL(baseUrl).origin });
}

/** The same of a sandbox that keeps nothing from the worker's machine. @throws NotPermittedError */
export function checkSandbox(config: { sandbox?: { type: string } }): void {
  if (config.sandbox?.type !== 'process') return;
  permissions()?.check({ field: 'sandbox', use: 'sandbox', what: hashOf(config) });
}

/** The servers that the sections of a config name, of whatever kind it is. Lists hold data, which names nothing. */
function serversIn(value: unknown): string[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'base_url' && typeof inner === 'string' && URL.canParse(inner)
      ? [new URL(inner).origin]
      : serversIn(inner),
  );
}

/**
 * Does something with a config that an allowed file holds. Who may write there may also name the servers that models are
 * asked at, and the sandbox, as long as nothing is changed beside the file.
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

/** Of all of a config: a person who types one says nothing of programs that another one asks for. */
function hashOf(config: unknown): string {
  const inOrder = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  return createHash('sha256').update(JSON.stringify(config, inOrder)).digest('hex');
}

/**
 * Words that quote a file, in a message. With permissions in force it goes back to whoever has named the file, so
 * something else stands there that quotes nothing.
 */
export function quotable(words: string, instead: string): string {
  return permissions() === null ? words : instead;
}
