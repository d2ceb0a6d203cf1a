import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { mustSkipWithout } from './missing-part.js';

/** The S3 server of the tests: real, small, one process, objects as files. Apache-2.0. */
export const VERSITYGW_VERSION = 'v1.8.0';
const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSITYGW_VERSION}`;
const BUILD_TIMEOUT_MS = 15 * 60_000;
const LOCK_POLL_MS = 500;

/** Where the server's binary is, or what is missing to have one. */
export type FoundBinary = { path: string } | { missing: string };

/**
 * Looks for versitygw at `REPRISE_VERSITYGW_BIN`, on PATH and in Reprise's cache folder, and else builds it there
 * with `go install` (2 to 5 minutes, once).
 */
export async function findVersitygw(): Promise<FoundBinary> {
  const named = process.env.REPRISE_VERSITYGW_BIN;
  if (named) {
    return (await isExecutable(named))
      ? { path: named }
      : { missing: `REPRISE_VERSITYGW_BIN names ${named}, which is no executable file` };
  }
  const onPath = await findOnPath('versitygw');
  if (onPath !== null) return { path: onPath };
  const cached = join(cacheFolder(), 'bin', `versitygw-${VERSITYGW_VERSION}`);
  if (await isExecutable(cached)) return { path: cached };
  return buildOnce(cached);
}

/** Whether tests that need the server must be skipped: see {@link mustSkipWithout}. */
export function mustSkip(found: FoundBinary): boolean {
  const missing = 'path' in found ? null : `the S3 server versitygw is missing: ${found.missing}`;
  return mustSkipWithout('versitygw', missing);
}

function cacheFolder(): string {
  return (
    process.env.REPRISE_CACHE_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'reprise')
  );
}

async function buildOnce(destination: string): Promise<FoundBinary> {
  const go = await findOnPath('go');
  if (go === null) {
    return {
      missing: `no versitygw on PATH and no Go to build it; install Go, or set REPRISE_VERSITYGW_BIN (https://github.com/versity/versitygw)`,
    };
  }
  const folder = join(destination, '..');
  await mkdir(folder, { recursive: true });
  const lock = `${destination}.lock`;
  // Test files run in parallel processes: one builds, the others wait for it.
  const deadline = Date.now() + BUILD_TIMEOUT_MS;
  while (!(await takeLock(lock))) {
    if (Date.now() > deadline) return { missing: `another process holds ${lock} and does not finish` };
    await new Promise((resume) => setTimeout(resume, LOCK_POLL_MS));
  }
  try {
    if (!(await isExecutable(destination))) await build(go, folder, destination);
    return { path: destination };
  } catch (error) {
    return { missing: `go install ${MODULE} failed: ${error instanceof Error ? error.message : error}` };
  } finally {
    await unlink(lock).catch(() => {});
  }
}

async function build(go: string, folder: string, destination: string): Promise<void> {
  console.warn(`building versitygw ${VERSITYGW_VERSION} into ${destination}: 2 to 5 minutes, once`);
  const scratch = await mkdtemp(join(folder, '.build-'));
  try {
    await promisify(execFile)(go, ['install', MODULE], {
      env: { ...process.env, GOBIN: scratch },
      timeout: BUILD_TIMEOUT_MS,
    });
    await rename(join(scratch, 'versitygw'), destination);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Takes the lock file; one whose owner is dead is removed and taken at the next call. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = Number(await readFile(lock, 'utf8').catch(() => ''));
  if (owner > 0 && !isAlive(owner)) await unlink(lock).catch(() => {});
  return false;
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

async function findOnPath(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
