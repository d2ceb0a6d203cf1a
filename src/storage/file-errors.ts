import { StorageError, type StorageOperation, systemCode } from './storage-error.js';

/** What a person can put right while a run waits: a permission, a mount, the path. */
const MENDABLE_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOTEMPTY',
]);

/**
 * Failures that the same call will meet again, unless somebody puts them right where that is possible. At the start of
 * a run they end it at once: their usual place is a `results_dir` one may not write to.
 * Everything else (a full disk, an I/O error, too many open files, a stale network mount, …) may pass,
 * and is worth an activity's retries: a run then sits out a full disk instead of ending on it.
 */
const FINAL_CODES: ReadonlySet<string> = new Set([
  ...MENDABLE_CODES,
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
]);

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not do that there',
  EPERM: 'this user may not do that there',
  EROFS: 'the file system is mounted read-only',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'a folder is in its place',
  EEXIST: 'a part of its path is a file',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
};

/** Turns a system error into a {@link StorageError}; anything else (a bug, a source's own error) is handed back as it is. */
export function fileError(
  error: unknown,
  operation: StorageOperation,
  uri: string,
  key: string | null,
): unknown {
  const code = systemCode(error);
  if (error instanceof StorageError || code === null) return error;
  const subject = key === null || key === '' ? uri : `${key} in ${uri}`;
  const hint = HINTS[code] ?? (error instanceof Error ? error.message : String(error));
  return new StorageError({
    message: `cannot ${operation} ${subject}: ${code}: ${hint}`,
    uri,
    key,
    code,
    retryable: !FINAL_CODES.has(code),
    mendable: MENDABLE_CODES.has(code),
    cause: error,
  });
}
