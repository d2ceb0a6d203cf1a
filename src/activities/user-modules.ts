import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createJiti, type Jiti, type JitiOptions } from 'jiti';
import { InvalidInputError } from '../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import { runUserCode } from '../contracts/run-user-code.js';
import type { EnvironmentClass } from '../environments/environment.js';
import { BUILT_IN_ENVIRONMENTS, builtInEnvironment, isEnvironmentClass } from '../environments/registry.js';
import { changedAt } from '../storage/changed-at.js';
import { type CodeTexts, importAsItWas, sayTheSame } from '../user-code/code-texts.js';
import { withImports } from '../user-code/with-imports.js';

/** The package's own entry, so that a user's file can say `import { QAEnv } from 'reprise'` from anywhere. */
function packageEntry(): string {
  const built = fileURLToPath(new URL('../index.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../index.ts', import.meta.url));
}

/** A user's file as it was loaded, and when it, and what it imports of theirs, had been changed last. */
interface LoadedModule {
  changes: Map<string, number>;
  exported: Promise<Record<string, unknown>>;
}

/** By path. What could not be loaded is not held. */
const loaded = new Map<string, LoadedModule>();

/** The file as it was loaded, where neither it nor what it imports was edited since. */
function heldAsItIs(path: string): LoadedModule | undefined {
  const held = loaded.get(path);
  const changes = [...(held?.changes ?? [])];
  return changes.every(([file, at]) => changedAt(file) === at) ? held : undefined;
}

/**
 * Whether this thread has a user's file loaded as it is now.
 * @param texts what is to be loaded, whatever the files say now
 */
export function isLoaded(path: string, texts?: CodeTexts): boolean {
  return heldAsItIs(path) !== undefined && (texts === undefined || sayTheSame(texts));
}

/**
 * What a user's file and its imports say now, for other threads to load it as it is.
 * @returns undefined where it cannot be read, which whoever loads it says
 * @throws NotPermittedError
 */
export function textsOf(path: string, field: string): CodeTexts | undefined {
  checkFile(field, path, 'code', CODE_ENDINGS);
  try {
    return withImports(path);
  } catch {
    return undefined;
  }
}

/** Modules are kept by path, compiled files by content. */
function loader(options: JitiOptions = {}): Jiti {
  return createJiti(import.meta.url, {
    alias: { reprise: packageEntry() },
    fsCache: true,
    moduleCache: true,
    ...options,
  });
}

async function importAnew(path: string, files: Iterable<string>): Promise<Record<string, unknown>> {
  const jiti = loader();
  for (const file of files) delete jiti.cache[file];
  return runUserCode(() => jiti.import<Record<string, unknown>>(path));
}

/**
 * Loads a user's TypeScript or JavaScript file without a build step, once; where it, or a file of theirs that it imports,
 * was edited since, anew.
 * @param texts what is to be loaded, whatever the files say now
 * @throws InvalidInputError that names the config's field.
 */
export async function loadUserModule(
  path: string,
  field: string,
  texts?: CodeTexts,
): Promise<Record<string, unknown>> {
  // Results hold programs of models in other languages, which may be read as this one.
  checkFile(field, path, 'code', CODE_ENDINGS);
  const unloadable = (error: unknown) =>
    new InvalidInputError(`${field}: ${path} cannot be loaded: ${messageWithPlace(error, path)}`, field);
  if (texts !== undefined && !sayTheSame(texts))
    return runUserCode(() => importAsItWas(path, texts, loader)).catch((error: unknown) => {
      throw unloadable(error);
    });
  const held = heldAsItIs(path);
  if (held !== undefined) return held.exported;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new InvalidInputError(`${field}: there is no file at ${path}`, field);
  const changes = new Map([...withImports(path).keys()].map((file) => [file, changedAt(file)]));
  const exported = importAnew(path, changes.keys()).catch((error: unknown) => {
    if (loaded.get(path)?.exported === exported) loaded.delete(path);
    throw unloadable(error);
  });
  loaded.set(path, { changes, exported });
  return exported;
}

/**
 * The environment class of a config: a built-in one, or an export of the user's file.
 * @param texts what is to be loaded, whatever the files say now
 */
export async function environmentClass(
  name: string,
  file: string | undefined,
  texts?: CodeTexts,
): Promise<EnvironmentClass> {
  if (file === undefined) {
    const found = builtInEnvironment(name);
    if (found !== undefined) return found;
    throw new InvalidInputError(
      `dataset.env_class: '${name}' is no built-in environment (${BUILT_IN_ENVIRONMENTS.join(', ')}); for your own, name its file in dataset.env_file`,
      'dataset.env_class',
    );
  }
  const exported = await loadUserModule(file, 'dataset.env_file', texts);
  const found = exported[name];
  if (isEnvironmentClass(found)) return found;
  const classes = Object.keys(exported).filter((key) => isEnvironmentClass(exported[key]));
  const there = classes.length === 0 ? 'no environment class' : classes.join(', ');
  throw new InvalidInputError(
    `dataset.env_class: ${file} exports no environment class '${name}' (it exports ${there}); a class has the methods reset and step`,
    'dataset.env_class',
  );
}
