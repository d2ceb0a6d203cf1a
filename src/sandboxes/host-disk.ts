import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExecutionLimits, SandboxError } from './sandbox.js';

const MIB = 1024 * 1024;
const PROBE_BYTES = 64 * 1024;
/** Error codes of a full disk or quota, and of too many open files in this process or machine. All are temporary. */
const EXHAUSTED = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Converts the error of writing a program's files: retryable if the machine lacks a resource. */
export function hostError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || !EXHAUSTED.has(code)) return error;
  return new SandboxError(`this machine cannot take the program's files: ${message}`, true, { cause: error });
}

/**
 * Reports whether a program ended because the machine's disk is full, while its own folder is below its limit. A
 * program that fills the disk by itself is at fault.
 */
export async function metFullDisk(
  folder: string,
  { exit_code, stderr }: { exit_code: number | null; stderr: string },
  { tmpfs_mb }: Pick<ExecutionLimits, 'tmpfs_mb'>,
): Promise<boolean> {
  if (exit_code === null || exit_code === 0) return false;
  if (
    !/(^|\n)OSError: \[Errno \d+\] (No space left on device|Disk quota exceeded)[^\n]*(?:\n\s*)?$/.test(
      stderr,
    )
  ) {
    return false;
  }
  const left = tmpfs_mb * MIB - (await bytesBelow(folder));
  return left > 0 && !(await hasRoom(folder, left));
}

/** Reports whether the disk of a folder has room for `bytes`: the program may have written the error message itself. */
async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < bytes) return false;
    // A quota, or a disk that cannot take more files, only shows when something is written.
    const probe = join(folder, `.${randomUUID()}`);
    await writeFile(probe, Buffer.alloc(PROBE_BYTES));
    await rm(probe, { force: true });
    return true;
  } catch (error) {
    return !EXHAUSTED.has((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Returns the bytes of the files below a folder; unreadable ones are left out. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await lstat(join(parentPath, name)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
