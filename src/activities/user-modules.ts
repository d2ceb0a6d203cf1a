import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { InvalidInputError } from '../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import type { EnvironmentClass } from '../environments/environment.js';
import { BUILT_IN_ENVIRONMENTS, builtInEnvironment, isEnvironmentClass } from '../environments/registry.js';

/** The package's own entry, so that a user's file can say `import { QAEnv } from 'reprise'` from anywhere. */
function packageEntry(): string {
  const built = fileURLToPath(new URL('../index.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../index.ts', import.meta.url));
}

/** When the files that were loaded had been changed last. */
const changes = new Map<string, number>();

/**
 * Loads a user's TypeScript or JavaScript file without a build step. An edited file is loaded anew.
 * @throws InvalidInputError that names the config's field.
 */
export async function loadUserModule(path: string, field: string): Promise<Record<string, unknown>> {
  // Results hold programs of models in other languages, which may be read as this one.
  checkFile(field, path, 'code', CODE_ENDINGS);
  const { mtimeMs } = await stat(path).catch(() => {
    throw new InvalidInputError(`${field}: there is no file at ${path}`, field);
  });
  const jiti = createJiti(import.meta.url, {
    alias: { reprise: packageEntry() },
    // A cache of compiled files by content; modules themselves are kept by path.
    fsCache: true,
    moduleCache: true,
  });
  if (changes.get(path) !== mtimeMs) delete jiti.cache[path];
  changes.set(path, mtimeMs);
  try {
    return (await jiti.import(path)) as Record<string, unknown>;
  } catch (error) {
    const said = messageWithPlace(error, path);
    throw new InvalidInputError(`${field}: ${path} cannot be loaded: ${said}`, field);
  }
}

/** The environment class of a config: a built-in one, or an export of the user's file. */
export async function environmentClass(name: string, file: string | undefined): Promise<EnvironmentClass> {
  if (file === undefined) {
    const found = builtInEnvironment(name);
    if (found !== undefined) return found;
    throw new InvalidInputError(
      `dataset.env_class: '${name}' is no built-in environment (${BUILT_IN_ENVIRONMENTS.join(', ')}); for your own, name its file in dataset.env_file`,
      'dataset.env_class',
    );
  }
  const exported = await loadUserModule(file, 'dataset.env_file');
  const found = exported[name];
  if (isEnvironmentClass(found)) return found;
  const classes = Object.keys(exported).filter((key) => isEnvironmentClass(exported[key]));
  const there = classes.length === 0 ? 'no environment class' : classes.join(', ');
  throw new InvalidInputError(
    `dataset.env_class: ${file} exports no environment class '${name}' (it exports ${there}); a class has the methods reset and step`,
    'dataset.env_class',
  );
}
