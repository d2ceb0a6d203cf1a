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

/** Modules that a thread holds; the one that was loaded first is forgotten first. */
const MOST_MODULES = 256;

/** By code and path. */
const modules = new Map<string, Promise<Exports>>();

const keyOf = (path: string, { id }: UserCode) => `${id} ${path}`;

/** The package's own entry, so that a user's file can say `import { QAEnv } from 'reprise'` from anywhere. */
function packageEntry(): string {
  const built = fileURLToPath(new URL('../index.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../index.ts', import.meta.url));
}

/** What users' code may import of the package beside its entry, by name. */
async function packageModules(): Promise<Record<string, object>> {
  const modules = KINDS.flatMap((kind) => Object.entries(kind.modules ?? {}));
  return Object.fromEntries(await Promise.all(modules.map(async ([name, load]) => [name, await load()])));
}

/** Compiles texts in place of files. Node's own kinds of modules, which nothing compiles, are loaded as they are. */
async function imported(path: string, { texts }: UserCode): Promise<Exports> {
  // Keeps what it has compiled by text; the other one would keep it by what is on the disk.
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
  // The module cache is Node's, by path: another version of these files may be in it.
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
 * Loads a user's TypeScript or JavaScript file without a build step, once for each version of it and of what it imports.
 * @param code what is loaded, whatever the files say now; by default what they say
 * @throws whatever the module throws, as an Error, or what keeps it from being compiled
 */
export function loadModule(path: string, code = codeNow([path])): Promise<Exports> {
  const key = keyOf(path, code);
  const held = modules.get(key);
  if (held !== undefined) return held;
  const loading = runUserCode(() => imported(path, code));
  modules.set(key, loading);
  if (modules.size > MOST_MODULES) modules.delete(modules.keys().next().value as string);
  loading.catch(() => modules.delete(key));
  return loading;
}

/** Whether this thread has loaded a file, and not in vain. */
export function isLoaded(path: string, code = codeNow([path])): boolean {
  return modules.has(keyOf(path, code));
}

/** {@link loadModule} of a file that a field of the config names. @throws InvalidInputError */
export async function loadNamedModule(path: string, field: string, code?: UserCode): Promise<Exports> {
  // Results hold programs of models in other languages, which may be read as this one.
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
