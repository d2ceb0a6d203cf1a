import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const BUILD_TIMEOUT_MS = 15 * 60_000;
const LOCK_POLL_MS = 500;

/** Where the server's binary is, or what is missing to have one. */
export type FoundBinary = { path: string } | { missing: string };

/** A program that the tests need, which its makers publish as a Go module. */
export interface GoProgram {
  /** As it is called on PATH, and in Reprise's cache folder with its version behind it. */
  name: string;
  /** Such as `v1.8.0`. */
  version: string;
  /** The path of its package. */
  module: string;
  /** Names an executable that is to be taken. */
  variable?: string;
}

/** Looks for a program on PATH and in Reprise's cache folder, and else builds it there with `go install`, once, in minutes. */
export async function findGoProgram(program: GoProgram): Promise<FoundBinary> {
  const { name, version, variable } = program;
  const named = variable === undefined ? undefined : process.env[variable];
  if (named) {
    return (await isExecutable(named))
      ? { path: named }
      : { missing: `${variable} names ${named}, which is no executable file` };
  }
  const onPath = await findOnPath(name);
  if (onPath !== null) return { path: onPath };
  const cached = join(cacheFolder(), 'bin', `${name}-${version}`);
  if (await isExecutable(cached)) return { path: cached };
  return buildOnce(program, cached);
}

function cacheFolder(): string {
  return (
    process.env.REPRISE_CACHE_DIR || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'reprise')
  );
}

async function buildOnce(program: GoProgram, destination: string): Promise<FoundBinary> {
  const go = await findOnPath('go');
  if (go === null) {
    return {
      missing: `no ${program.name} on PATH and no Go to build it (https://go.dev/dl), from ${program.module}`,
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
    if (!(await isExecutable(destination))) await build(go, program, destination);
    return { path: destination };
  } catch (error) {
    return {
      missing: `go install ${program.module} failed: ${error instanceof Error ? error.message : error}`,
    };
  } finally {
    await unlink(lock).catch(() => {});
  }
}

async function build(go: string, { name, version, module }: GoProgram, destination: string): Promise<void> {
  console.warn(`building ${name} ${version} into ${destination}: some minutes, once`);
  const scratch = await mkdtemp(join(destination, '..', '.build-'));
  try {
    await promisify(execFile)(go, ['install', `${module}@${version}`], {
      env: { ...process.env, GOBIN: scratch },
      timeout: BUILD_TIMEOUT_MS,
    });
    await rename(join(scratch, basename(module)), destination);
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

export async function findOnPath(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
