import { statSync } from 'node:fs';
import { systemCode } from './storage-error.js';

/** Reports whether a file or folder has the path. Synchronous, since the thread pool would take longer. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns null for an absent object: a missing file or folder, or one in place of the other. */
export async function nullWhenAbsent<Result>(pending: Promise<Result>): Promise<Result | null> {
  try {
    return await pending;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}
