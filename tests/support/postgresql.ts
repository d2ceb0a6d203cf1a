import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../src/workers/free-port.js';
import { findOnPath, isExecutable } from './go-program.js';

/** Where Debian's packages have the programs of each version. */
const PACKAGES = '/usr/lib/postgresql';
const START_TIMEOUT_MS = 60_000;
const USER = 'temporal';

/** A PostgreSQL server of this test's own, on a loopback port. */
export interface PostgresServer {
  port: number;
  user: string;
  pid(): number;
  /** Ends it as a crash does, in the middle of transactions, and starts it again on its files. */
  restart(): Promise<void>;
  /** Ends it and removes everything it kept. */
  stop(): Promise<void>;
}

/** The folder with `initdb` and `postgres`, or what is missing to have one. */
export async function findPostgres(): Promise<{ path: string } | { missing: string }> {
  const onPath = await findOnPath('initdb');
  if (onPath !== null) return { path: join(onPath, '..') };
  const versions = (await readdir(PACKAGES).catch(() => [])).sort(
    (left, right) => Number(right) - Number(left),
  );
  for (const version of versions) {
    const path = join(PACKAGES, version, 'bin');
    if (await isExecutable(join(path, 'initdb'))) return { path };
  }
  return { missing: 'no initdb on PATH; install PostgreSQL 12 or newer' };
}

/** PostgreSQL refuses to work for root: then it works for a user of its own, or for nobody. */
async function ownerOf(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const entry = ['postgres', 'nobody']
    .map((name) => lines.find(([one]) => one === name))
    .find((found) => found !== undefined);
  if (entry === undefined)
    throw new Error('PostgreSQL does not work for root, and /etc/passwd has nobody else');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Starts PostgreSQL without a password, with nothing in it. @param programs the folder of {@link findPostgres} */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const owner = await ownerOf();
  const folder = await mkdtemp(join(tmpdir(), 'reprise-postgres-'));
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const initial = [
    '--pgdata',
    data,
    '--username',
    USER,
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
  ];
  await promisify(execFile)(join(programs, 'initdb'), [...initial, '--no-sync'], { ...owner, cwd: folder });
  const port = await freePort();
  const settings = [`listen_addresses=127.0.0.1`, 'unix_socket_directories=', 'max_connections=200'];
  const launch = () =>
    launched(join(programs, 'postgres'), {
      args: ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      options: { ...owner, cwd: folder },
    });
  let server = await launch();
  return {
    port,
    user: USER,
    pid: () => server.pid as number,
    restart: async () => {
      await ended(server);
      server = await launch();
    },
    stop: async () => {
      await ended(server);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Immediate shutdown: every session is cut off, and nothing is written any more. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGQUIT');
  await gone;
}

async function launched(
  program: string,
  { args, options }: { args: string[]; options: { uid?: number; gid?: number; cwd: string } },
): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const endWithUs = () => void child.kill('SIGQUIT');
  process.once('exit', endWithUs);
  child.once('exit', () => process.removeListener('exit', endWithUs));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (said += data));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!said.includes('ready to accept connections')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await ended(child);
      throw new Error(`PostgreSQL did not start: ${said.slice(-2000)}`);
    }
    await sleep(20);
  }
  return child;
}
