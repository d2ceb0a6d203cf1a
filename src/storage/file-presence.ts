import { access } from 'node:fs/promises';
import { systemCode } from './storage-error.js';

export async function isPresent(path: string): Promise<boolean> {
  return (await nullWhenAbsent(access(path).then(() => true))) ?? false;
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
