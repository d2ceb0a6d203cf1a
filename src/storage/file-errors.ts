import { StorageError, type StorageOperation, systemCode } from './storage-error.js';

/** Codes of problems that a person can fix while a run waits: a permission, a mount, the path. */
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
 * Codes of failures that recur in the same call unless a person fixes them, where that is possible. At the start of a
 * run they end it at once: the usual cause is a `results_dir` without write permission. All others (a full disk, an I/O
 * error, too many open files, a stale network mount, …) may be temporary, and an activity is retried: a run waits until
 * a full disk has space instead of ending.
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

/** Turns a system error into a {@link StorageError}; returns any other error (a bug, a source's) unchanged. */
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
