import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../config/errors.js';

/** Files of a template that a folder may have already; they are kept. */
const OF_ITS_FOLDER = ['.gitignore', 'tsconfig.json'];

/**
 * Writes files to start from into a folder, which may exist already.
 * @param template contents by name
 * @returns the paths of what was written
 * @throws InvalidInputError if one of the files exists already: then none is written.
 */
export async function writeTemplate(
  folder: string,
  template: Readonly<Record<string, string>>,
): Promise<string[]> {
  const files = Object.entries(template).map(([name, content]) => ({
    name,
    path: join(folder, name),
    content,
  }));
  const missing = files.filter(({ name, path }) => !(OF_ITS_FOLDER.includes(name) && existsSync(path)));
  const present = missing.find(({ path }) => existsSync(path));
  if (present !== undefined) {
    throw new InvalidInputError(`${present.path} is there already; choose another folder`);
  }
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(`${folder} cannot be made a folder: ${error.message}`);
  });
  for (const { path, content } of missing) await writeFile(path, content, { flag: 'wx' });
  return missing.map(({ path }) => path);
}
