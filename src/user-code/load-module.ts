import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { InvalidInputError } from '../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import { runUserCode } from '../contracts/run-user-code.js';
import { KINDS } from '../kinds/registry.js';
import { codeNow, type UserCode } from './code.js';

export type Exports = Record<string, unknown>;

/** Maximum number of modules that a thread keeps; the oldest one is dropped first. */
const MAX_MODULES = 256;

/** Modules by code and path. */
const modules = new Map<string, Promise<Exports>>();

const keyOf = (path: string, { id }: UserCode) => `${id} ${path}`;

/** Returns the package's own entry, so that a user's file can `import { QAEnv } from 'reprise'` from anywhere. */
function packageEntry(): string {
  const built = fileURLToPath(new URL('../index.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../index.ts', import.meta.url));
}

/** Loads the other modules of the package that users' code may import, by name. */
async function packageModules(): Promise<Record<string, object>> {
  const modules = KINDS.flatMap((kind) => Object.entries(kind.modules ?? {}));
  return Object.fromEntries(await Promise.all(modules.map(async ([name, load]) => [name, await load()])));
}

/** Imports a file from texts. Node's own module formats, which are not compiled, are read from disk. */
async function imported(path: string, { texts }: UserCode): Promise<Exports> {
  // This compiler caches its output by text; the other one would cache by path.
  const compiler = createJiti(import.meta.url, { fsCache: true });
  const jiti = createJiti(import.meta.url, {
    alias: { reprise: packageEntry() },
    virtualModules: await packageModules(),
    fsCache: false,
    moduleCache: true,
    transform: (asked) => ({
      code: compiler.transform({ ...asked, source: texts.get(asked.filename ?? '') ?? asked.source }),
    }),
  });
  // The module cache is Node's, by path: it may contain another version of these files.
  const forget = () => {
    for (const file of texts.keys()) delete jiti.cache[file];
  };
  forget();
  try {
    return await jiti.import<Exports>(path);
  } finally {
    forget();
  }
}

/**
 * Loads a user's TypeScript or JavaScript file without a build step, once for each version of it and of its imports.
 * @param code the texts to load; by default the current content of the files
 * @throws errors of the module, as an Error, or of its compilation
 */
export function loadModule(path: string, code = codeNow([path])): Promise<Exports> {
  const key = keyOf(path, code);
  const held = modules.get(key);
  if (held !== undefined) return held;
  const loading = runUserCode(() => imported(path, code));
  modules.set(key, loading);
  if (modules.size > MAX_MODULES) modules.delete(modules.keys().next().value as string);
  loading.catch(() => modules.delete(key));
  return loading;
}

/** Reports whether this thread has loaded a file successfully. */
export function isLoaded(path: string, code = codeNow([path])): boolean {
  return modules.has(keyOf(path, code));
}

/** Loads a file that a field of the config names, with {@link loadModule}. @throws InvalidInputError */
export async function loadNamedModule(path: string, field: string, code?: UserCode): Promise<Exports> {
  // Results may contain programs in other languages, which could be taken for JavaScript.
  checkFile(field, path, 'code', CODE_ENDINGS);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new InvalidInputError(`${field}: there is no file at ${path}`, field);
  return loadModule(path, code).catch((error: unknown) => {
    throw new InvalidInputError(
      `${field}: ${path} cannot be loaded: ${messageWithPlace(error, path)}`,
      field,
    );
  });
}
