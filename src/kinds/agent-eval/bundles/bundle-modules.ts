import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { checkFile, permissions } from '../../../config/named-files.js';
import { messageWithPlace } from '../../../contracts/place-of-error.js';
import { codeNow, type UserCode } from '../../../user-code/code.js';
import { type Exports, isLoaded, loadModule } from '../../../user-code/load-module.js';
import type { BundleRow } from './contracts.js';
import { isReward, type Reward } from './reward.js';
import { isToolRegistry, type ToolRegistry } from './tool-registry.js';

/** Fields of a row that name its modules. */
type ModulesOf = Pick<BundleRow, 'toolset'>;

/**
 * Trial load of a module, where an endless loop or the end of its process does no harm. Errors that the module throws
 * are left to the next load.
 * @param code code to load, whatever the files contain now
 * @returns the fault of a module that did not finish, such as `was not loaded within 60 s`; null for any other
 */
export type ModuleTrial = (path: string, code: UserCode) => Promise<string | null>;

/** Options of loading a module. */
export interface ModuleLoading {
  /** Trial of each module before it is loaded here. */
  trial?: ModuleTrial | undefined;
  /** Code to load, whatever the files contain now. */
  code?: UserCode | undefined;
}

/** Config field that names bundles. */
const FIELD = 'datasets';

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/** Finds the module of this name, or the index of the folder of this name; null if there is neither. */
export function findModule(path: string): string | null {
  const candidates = [
    ...(EXTENSIONS.some((extension) => path.endsWith(extension)) ? [path] : []),
    ...EXTENSIONS.map((extension) => `${path}${extension}`),
    ...EXTENSIONS.map((extension) => join(path, `index${extension}`)),
  ];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile()) ?? null;
}

/** Fault of a bundle's module; the message says what to write. */
class ModuleFault extends Error {
  override readonly name = 'ModuleFault';
}

/** Returns the message of a module's fault. @throws any other error */
export function moduleMessage(error: unknown): string {
  if (error instanceof ModuleFault) return error.message;
  throw error;
}

/**
 * Finds the module that a row's `toolset` names: a path such as `./tools.ts`, or names with dots, where
 * `flight_task.tools` is the module or folder `tools` of the bundle, whatever its folder is called now. Tools of
 * another bundle are refused.
 */
function toolsetPath(toolset: string, folder: string): string {
  if (/[\\/]/.test(toolset) || /\.[cm]?[jt]s$/.test(toolset)) {
    const path = resolve(folder, toolset);
    if (relative(folder, path).startsWith('..')) throw elsewhere(toolset, path);
    return found(findModule(path), toolset, [path]);
  }
  const names = toolset.split('.');
  if (names.some((name) => !/^[\w-]+$/.test(name))) {
    throw new ModuleFault(
      `'${toolset}' is no toolset: write flight_task.tools, or a path such as ./tools.ts`,
    );
  }
  const places = [join(folder, ...names), ...(names.length > 1 ? [join(folder, ...names.slice(1))] : [])];
  const first = places.map(findModule).find((path) => path !== null) ?? null;
  const neighbour = first === null ? findModule(join(dirname(folder), ...names)) : null;
  if (neighbour !== null) throw elsewhere(toolset, neighbour);
  return found(first, toolset, places);
}

function elsewhere(toolset: string, path: string): ModuleFault {
  return new ModuleFault(
    `'${toolset}' leads out of the bundle, to ${path}: a bundle is run with its own tools; copy them into its folder`,
  );
}

function found(path: string | null, toolset: string, places: string[]): string {
  if (path !== null) return path;
  throw new ModuleFault(
    `there is no module '${toolset}'; looked for ${places.join(', ')} with .ts, .mts, .js, .mjs, and for an index in a folder of that name`,
  );
}

/** Finds the modules that a row of a bundle runs. Missing ones are left out; loading reports them. */
export function modulesOf({ toolset }: ModulesOf, folder: string): string[] {
  const tools = () => toolsetPath(toolset, folder);
  const reward = () => findModule(join(folder, 'reward'));
  return [tools, reward].flatMap((find) => {
    try {
      return find() ?? [];
    } catch (error) {
      if (error instanceof ModuleFault) return [];
      throw error;
    }
  });
}

/** Checks the permissions for the modules that a row runs. @throws NotPermittedError if one is not permitted. */
export function checkModules(row: ModulesOf, folder: string): void {
  if (permissions() === null) return;
  const paths = modulesOf(row, folder);
  // If a module is missing, the folder is checked too: no error may reveal what a forbidden folder lacks.
  for (const path of paths.length === 2 ? paths : [...paths, folder]) checkFile(FIELD, path, 'code');
}

/** @throws ModuleFault, NotPermittedError */
export async function loadToolset(
  toolset: string,
  folder: string,
  loading: ModuleLoading = {},
): Promise<{ registry: ToolRegistry; path: string }> {
  const path = toolsetPath(toolset, folder);
  const registry = await onlyExport(
    path,
    folder,
    isToolRegistry,
    "no ToolRegistry: write export const tools = new ToolRegistry('…')",
    loading,
  );
  if (registry.tools.length > 0) return { registry, path };
  throw new ModuleFault(`the registry ${registry.name} of ${shown(path, folder)} has no tools`);
}

/** @throws ModuleFault, NotPermittedError */
export async function loadReward(folder: string, loading: ModuleLoading = {}): Promise<Reward> {
  const path = findModule(join(folder, 'reward'));
  if (path === null) throw new ModuleFault(`there is no reward.ts in ${folder}`);
  return onlyExport(
    path,
    folder,
    isReward,
    'no reward: write export default defineReward(async (…) => …)',
    loading,
  );
}

async function onlyExport<Value>(
  path: string,
  folder: string,
  is: (value: unknown) => value is Value,
  none: string,
  { trial, code = codeNow([path]) }: ModuleLoading,
): Promise<Value> {
  checkFile(FIELD, path, 'code');
  const name = shown(path, folder);
  const fault = isLoaded(path, code) ? null : await trial?.(path, code);
  if (typeof fault === 'string') throw new ModuleFault(`${name} ${fault}`);
  let exported: Exports;
  try {
    exported = await loadModule(path, code);
  } catch (error) {
    throw new ModuleFault(`${name} cannot be loaded: ${messageWithPlace(error, path)}`);
  }
  const values = new Set(Object.values(exported).filter(is));
  const [only] = values;
  if (only === undefined) throw new ModuleFault(`${name} exports ${none}`);
  if (values.size > 1) throw new ModuleFault(`${name} exports ${values.size} of them; there must be one`);
  return only;
}

function shown(path: string, folder: string): string {
  return relative(folder, path) || path;
}
