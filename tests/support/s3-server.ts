import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { createS3Client } from '../../src/storage/s3-client.js';
import { freePort } from '../../src/workers/free-port.js';
import { findVersitygw } from './versitygw.js';

export { findVersitygw, mustSkip } from './versitygw.js';

const START_TIMEOUT_MS = 20_000;
const START_ATTEMPTS = 3;
const ACCESS_KEY = 'reprise-tests';
const SECRET_KEY = 'reprise-tests-secret';

/** A real S3 server of this test's own, on a loopback port. */
export interface S3Server {
  endpoint: string;
  /** A bucket that exists and is empty. */
  bucket: string;
  /** The variables that `openStore` needs to reach it. */
  environment: Record<string, string>;
  /** The folder that holds the bucket's objects as files. */
  folder: string;
  /** The server hangs: it accepts connections and answers nothing. */
  pause(): Promise<void>;
  resume(): void;
  /** kill -9: connections are refused until `restart`, on the same port and the same objects. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Ends the server and removes everything it kept. */
  stop(): Promise<void>;
}

/** Starts versitygw. Check {@link findVersitygw} first: this throws where there is none. */
export async function startS3Server(): Promise<S3Server> {
  const found = await findVersitygw();
  if ('missing' in found) throw new Error(found.missing);
  const root = await mkdtemp(join(tmpdir(), 'reprise-s3-'));
  let lastError: unknown;
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    try {
      return await startOn(await freePort(), found.path, root);
    } catch (error) {
      // The port may have been taken between our finding and our using it.
      lastError = error;
    }
  }
  throw lastError;
}

async function startOn(port: number, binary: string, root: string): Promise<S3Server> {
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = {
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    AWS_REGION: 'us-east-1',
  };
  const bucket = 'experiments';
  const launch = () => launchServer(binary, port, root);
  let server = await launch();

  const client = createS3Client(environment);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();

  return {
    endpoint,
    bucket,
    environment,
    folder: join(root, 'objects', bucket),
    pause: () => stopThreads(server),
    resume: () => void server.kill('SIGCONT'),
    kill: () => end(server),
    restart: async () => {
      server = await launch();
    },
    stop: async () => {
      await end(server);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function launchServer(binary: string, port: number, root: string): Promise<ChildProcess> {
  try {
    return await launchWith(binary, port, root, []);
  } catch (error) {
    // A file system without extended attributes (an older tmpfs): keep the objects' metadata beside them.
    if (!String(error).includes('xattr')) throw error;
    const sidecar = join(root, 'metadata');
    await mkdir(sidecar, { recursive: true });
    return launchWith(binary, port, root, ['--sidecar', sidecar]);
  }
}

async function launchWith(
  binary: string,
  port: number,
  root: string,
  options: string[],
): Promise<ChildProcess> {
  const objects = join(root, 'objects');
  await mkdir(objects, { recursive: true });
  const child = spawn(
    binary,
    [
      ...['--port', `127.0.0.1:${port}`, '--health', '/healthz', '--keep-alive', '--quiet'],
      ...['posix', ...options, objects],
    ],
    {
      env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.removeListener('exit', killWithUs));
  let output = '';
  child.stdout?.on('data', (data) => {
    output += data;
  });
  child.stderr?.on('data', (data) => {
    output += data;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(`http://127.0.0.1:${port}/healthz`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await end(child);
      throw new Error(`versitygw did not start on port ${port}: ${output.slice(-2000)}`);
    }
    await new Promise((resume) => setTimeout(resume, 20));
  }
  return child;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

/** SIGSTOP returns before the threads stand still: on a busy machine one of them answers another request. */
async function stopThreads(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  const tasks = `/proc/${child.pid}/task`;
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const threads = await readdir(tasks).catch(() => []);
    const states = await Promise.all(
      threads.map((thread) => readFile(`${tasks}/${thread}/stat`, 'utf8').catch(() => ') T')),
    );
    if (states.length > 0 && states.every((state) => / T/.test(state.slice(state.lastIndexOf(')'))))) return;
    await new Promise((resume) => setTimeout(resume, 20));
    // Where there is no /proc, a moment has to do.
    if (states.length === 0 && attempt > 10) return;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
