import { chmodSync, mkdirSync, statSync } from 'node:fs';

const OTHERS_WRITE = 0o022;

/** Reports whether a folder belongs to this user, and no other can write to it. */
export function isPrivate(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  return status !== undefined && status.uid === process.getuid?.() && (status.mode & OTHERS_WRITE) === 0;
}

/** @throws Error where the folder cannot be created, or belongs to another user. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) chmodSync(folder, 0o700);
}
