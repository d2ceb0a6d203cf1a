import { createHash, randomBytes } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hostIdentity, isAlive } from './process-identity.js';

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
