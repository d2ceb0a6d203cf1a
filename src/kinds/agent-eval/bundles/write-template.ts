import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../../config/errors.js';
import { BUNDLE_TEMPLATE } from './template.js';

/** Files of the template that a folder without a bundle may have already; they are kept. */
const OF_ITS_FOLDER = ['.gitignore', 'tsconfig.json'];

/**
 * Writes a bundle to start from into a folder, which may exist already.
 * @returns the paths
 * @throws InvalidInputError if one of its files exists already, which is not overwritten.
 */
export async function writeTemplate(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(`${folder} cannot be made a folder: ${error.message}`);
  });
  const written: string[] = [];
  for (const [name, content] of Object.entries(BUNDLE_TEMPLATE)) {
    const path = join(folder, name);
    if (OF_ITS_FOLDER.includes(name) && existsSync(path)) continue;
    await writeFile(path, content, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new InvalidInputError(`${path} is there already; choose a folder without a bundle`);
    });
    written.push(path);
  }
  return written;
}
