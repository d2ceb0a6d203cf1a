import { statSync } from 'node:fs';
import { systemCode } from './storage-error.js';

/** Whether something has this name. At once: a trip through the thread pool would take longer. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A missing file, a missing folder, a file in a folder's place or a folder in a file's place: there is no such object. */
export async function nullWhenAbsent<Result>(pending: Promise<Result>): Promise<Result | null> {
  try {
    return await pending;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}
