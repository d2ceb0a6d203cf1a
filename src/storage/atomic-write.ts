import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fdatasync, linkSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isThere } from './file-presence.js';
import { hostIdentity, isAlive } from './process-identity.js';
import { systemCode } from './storage-error.js';

// Maximum attempts: another writer may prune an empty folder between its creation and its use.
const FOLDER_ATTEMPTS = 25;

// `.reprise-<host>-<place>-<process>-<random>.tmp`: the owner is in the name, to distinguish orphans from writes in
// progress.
const TEMPORARY_NAME = /^\.reprise-([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}\.tmp$/;
const HOST = mark(hostname());
const PLACE = mark(hostIdentity());

// A container may have the host's name but other process ids, so a young file of another place is no orphan.
const MINIMUM_ORPHAN_AGE_MS = 60_000;
// Files older than this are orphans whoever owns them: process ids are reused and hosts disappear.
const CERTAIN_ORPHAN_AGE_MS = 24 * 3_600_000;

function mark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Returns a name for a file that is being written, in the folder of the final file. */
export function temporaryName(): string {
  return `.reprise-${HOST}-${PLACE}-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/** Removes a temporary file whose writer is dead. Failures are harmless and retried later. */
export async function sweepOrphan(folder: string, name: string, now = Date.now()): Promise<void> {
  const match = TEMPORARY_NAME.exec(name);
  if (match === null) return;
  const path = join(folder, name);
  try {
    const [, host, place, processId] = match;
    const age = now - (await stat(path)).mtimeMs;
    const isGone = host === HOST && !isAlive(Number(processId));
    const isYoung = place !== PLACE && age <= MINIMUM_ORPHAN_AGE_MS;
    if (age > CERTAIN_ORPHAN_AGE_MS || (isGone && !isYoung)) await unlink(path);
  } catch {
    // Another process has removed it, or this process may not.
  }
}

/**
 * Writes a file so that it is visible completely or not at all: a temporary file in the same folder, its data flushed
 * (or a power failure could leave an empty file), then one atomic rename or link. Returns `false` where `ifAbsent` is
 * set and the file existed already.
 */
export async function writeThrough(
  path: string,
  fill: (handle: FileHandle) => Promise<void>,
  ifAbsent: boolean,
): Promise<boolean> {
  const temporary = join(dirname(path), temporaryName());
  const handle = await openInFolder(temporary);
  try {
    try {
      await fill(handle);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (ifAbsent) return publishOnce(temporary, path);
    await rename(temporary, path);
    return true;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

const flush = promisify(fdatasync);

/**
 * Writes a small body like {@link writeThrough}. Only the flush, which waits for the disk, uses the thread pool; the
 * other steps take microseconds, less than switching threads (5 switches cost 0.5 ms of CPU for each file).
 */
export async function writeSmall(path: string, body: Uint8Array, ifAbsent: boolean): Promise<boolean> {
  const temporary = join(dirname(path), temporaryName());
  const file = await inFolder(temporary, () => openSync(temporary, 'wx'));
  try {
    try {
      for (let written = 0; written < body.byteLength; ) written += writeSync(file, body, written);
      await flush(file);
    } finally {
      closeSync(file);
    }
    if (ifAbsent) return publishOnce(temporary, path);
    renameSync(temporary, path);
    return true;
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // Orphans are swept later.
    }
    throw error;
  }
}

function openInFolder(path: string): Promise<FileHandle> {
  return inFolder(path, () => open(path, 'wx'));
}

/** Opens a file; creates its folder first where it is missing. */
async function inFolder<Opened>(path: string, open: () => Opened | Promise<Opened>): Promise<Opened> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === FOLDER_ATTEMPTS) throw error;
      await makeFolder(dirname(path)).catch((failure) => {
        if (systemCode(failure) !== 'ENOENT') throw failure;
      });
    }
  }
}

/**
 * Creates a folder and its parents. `mkdir` with `recursive` never returns where creating a folder fails with ENOENT
 * although its parent exists (`/proc`, some network mounts).
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch((failure) => {
      if (systemCode(failure) !== 'EEXIST') throw failure;
    });
  }
}

/** Renames the temporary file unless the name is taken: `link` fails with EEXIST, `rename` never does. */
function publishOnce(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = systemCode(error);
    const cannotLink = code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS';
    if (code !== 'EEXIST' && !cannotLink) throw error;
    // No hard links here (exFAT, some shared folders of virtual machines). Hazard: two writers in the same millisecond
    // can both succeed; the file is still never partial.
    if (cannotLink && !isThere(path)) {
      renameSync(temporary, path);
      return true;
    }
    unlinkSync(temporary);
    return false;
  }
  unlinkSync(temporary);
  return true;
}
