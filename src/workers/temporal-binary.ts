import { spawn } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { InvalidInputError } from '../config/errors.js';

/** Newest version that `go install` can build: later ones have a replace directive in their go.mod. */
export const TEMPORAL_CLI_VERSION = 'v1.5.1';
const GO_MODULE = `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_CLI_VERSION}`;
const NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

export interface BinaryOptions {
  environment?: NodeJS.ProcessEnv;
  /** Called before long operations. */
  say?: (message: string) => void;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Finds the first executable of a name on PATH; null if there is none. */
export async function findOnPath(name: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

/** Returns the folder of programs and downloads kept between runs: REPRISE_CACHE_DIR, else the XDG cache folder. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.REPRISE_CACHE_DIR) return environment.REPRISE_CACHE_DIR;
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'reprise');
}

function builtBinary(environment: NodeJS.ProcessEnv): string {
  return join(cacheFolder(environment), 'bin', `temporal-${TEMPORAL_CLI_VERSION}`);
}

function downloadFolder(environment: NodeJS.ProcessEnv): string {
  return join(cacheFolder(environment), 'temporal-download');
}

async function findDownloaded(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const folder = downloadFolder(environment);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort().reverse()) {
    if (name.startsWith('temporal') && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

/** Finds a binary that is already on this machine; null if there is none. Starts, builds and downloads nothing. */
export async function findTemporalBinary(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  const given = environment.REPRISE_TEMPORAL_BIN;
  if (given) {
    if (await isExecutable(given)) return given;
    throw new InvalidInputError(`REPRISE_TEMPORAL_BIN: ${given} is not an executable file`);
  }
  const onPath = await findOnPath(NAME, environment);
  if (onPath !== null) return onPath;
  const built = builtBinary(environment);
  return (await isExecutable(built)) ? built : findDownloaded(environment);
}

/** Downloads the server with the SDK into the cache; the server that the SDK starts for this is ended at once. */
async function download(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const folder = downloadFolder(environment);
  await mkdir(folder, { recursive: true });
  try {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const server = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: folder } },
    });
    await server.teardown();
  } catch {
    return null;
  }
  return findDownloaded(environment);
}

function runGo(go: string, folder: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(go, ['install', GO_MODULE], {
      env: { ...environment, GOBIN: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-2000);
      });
    }
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? null : output.trim()));
  });
}

/** Builds the server with Go in a folder of its own, and moves the finished file into place. */
async function build(environment: NodeJS.ProcessEnv, say: (message: string) => void): Promise<string> {
  const go = await findOnPath(process.platform === 'win32' ? 'go.exe' : 'go', environment);
  if (go === null) {
    throw new InvalidInputError(
      'there is no Temporal server on this machine: it could not be downloaded, and Go (https://go.dev/dl, 1.23 or newer) is not there to build it. Install the Temporal CLI (https://docs.temporal.io/cli) or Go, or set TEMPORAL_ADDRESS to a server',
    );
  }
  say(
    `Building the Temporal server with Go, once, into ${cacheFolder(environment)}. This takes 3 to 8 minutes…`,
  );
  const target = builtBinary(environment);
  const folder = join(cacheFolder(environment), 'bin');
  await mkdir(folder, { recursive: true });
  const own = await mkdtemp(join(folder, 'build-'));
  const ticking = setInterval(() => say('…still building the Temporal server'), 60_000);
  try {
    const problem = await runGo(go, own, environment);
    if (problem !== null) throw new Error(`go install ${GO_MODULE} failed: ${problem}`);
    await chmod(join(own, NAME), 0o755);
    await rename(join(own, NAME), target);
  } finally {
    clearInterval(ticking);
    await rm(own, { recursive: true, force: true });
  }
  say('The Temporal server is built.');
  return target;
}

/**
 * Provides the Temporal CLI, whose `server start-dev` is the embedded server. In this order: REPRISE_TEMPORAL_BIN,
 * PATH, the cache, the SDK's own download, a build with Go.
 * @throws InvalidInputError that names what to install.
 */
export async function provideTemporalBinary(options: BinaryOptions = {}): Promise<string> {
  const { environment = process.env, say = () => undefined } = options;
  const found = await findTemporalBinary(environment);
  if (found !== null) return found;
  say('Looking for the Temporal server: none on this machine yet, trying to download it…');
  return (await download(environment)) ?? build(environment, say);
}
