import { existsSync, readFileSync, statSync } from 'node:fs';
import { utf8Fault } from '../storage/utf8-text.js';
import { InvalidInputError } from './errors.js';
import { checkFile } from './named-files.js';
import { isRemote, resolveLocation } from './paths.js';

/**
 * Returns the path of a file that a prompt names, else null. A name is one line that is an existing file, has no
 * spaces, or has a text file's extension. So a mistyped name is not taken for a prompt.
 */
function fileOf(given: string, folder: string, field: string): string | null {
  if (/[\r\n]/.test(given) || given.trim() === '') return null;
  const isName = !/\s/.test(given.trim()) || /\.(?:txt|md|prompt)$/i.test(given.trim());
  const path = resolveLocation(given.trim(), folder, field);
  return isName || (!isRemote(path) && isFile(path, field)) ? path : null;
}

/** Reports whether a file exists; false for any that may not be named. */
function isFile(path: string, field: string): boolean {
  try {
    checkFile(field, path);
  } catch {
    return false;
  }
  return existsSync(path) && statSync(path).isFile();
}

function checked(text: string, source: string, field: string): string {
  if (text.trim() === '') throw new InvalidInputError(`${field}: ${source} is empty`, field);
  // The final line end ensures that the text is never taken for a file name again.
  return text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * Returns the text of a prompt that is given as a text or as a file. The result is itself a valid input.
 * @param field field of the config, for messages
 * @throws InvalidInputError if the file is missing, or the text is empty.
 */
export function textOrFile(given: string, folder: string, field: string): string {
  const path = fileOf(given, folder, field);
  if (path === null) return checked(given, 'the text', field);
  if (isRemote(path)) {
    throw new InvalidInputError(`${field}: ${path}: a prompt is a text, or a file of this machine`, field);
  }
  checkFile(field, path);
  try {
    const bytes = readFileSync(path);
    const fault = utf8Fault(bytes);
    if (fault !== null) throw new InvalidInputError(`${field}: ${path} ${fault}`, field);
    return checked(bytes.toString(), path, field);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new InvalidInputError(
      missing
        ? `${field}: there is no file at ${path} (a text has spaces, or several lines)`
        : `${field}: ${path} cannot be read: ${(error as Error).message}`,
      field,
    );
  }
}
