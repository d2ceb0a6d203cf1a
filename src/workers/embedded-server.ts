import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { type BinaryOptions, provideTemporalBinary } from './temporal-binary.js';

const HOST = '127.0.0.1';
const USUAL_PORT = 7233;
const USUAL_UI_PORT = 8233;
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 10_000;
/** Milliseconds after which a server that could not bind its port would have ended. */
const SURELY_OURS = 15_000;

/** The server's defaults poll its queues 20 times a second; see docs/decisions/0002-embedded-server.md. */
const TUNING = [
  '--sqlite-pragma=journal_mode=WAL',
  '--sqlite-pragma=synchronous=NORMAL',
  ...[
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    'history.visibilityProcessorMaxPollRPS=2000',
    'system.enableActivityEagerExecution=true',
  ].flatMap((setting) => ['--dynamic-config-value', setting]),
];

/** What `server.json` keeps of a server, so that another command finds it, or starts it again. */
interface ServerRecord {
  pid: number;
  port: number;
  ui_port: number;
  /** The id of the namespace `default`, which tells this folder's database from any other. */
  namespace_id: string;
}

export interface EmbeddedServer {
  address: string;
  uiUrl: string;
  pid: number;
  /** Whether this call started it. */
  started: boolean;
  /** Rejects where the server can no longer be reached at `address`: it died, and another program took its port. */
  lost: Promise<never>;
  /** Gives up this process's use of it; the last user ends the server. */
  release(): Promise<void>;
}

export interface EmbeddedServerOptions extends BinaryOptions {
  /** The folder of database, lock and log; by default `.reprise` in the working folder. */
  folder: string;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The id of the namespace `default` of the server at a port; null where none answers. */
async function namespaceAt(port: number): Promise<string | null> {
  try {
    const connection = await Connection.connect({ address: `${HOST}:${port}`, connectTimeout: 2000 });
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    return namespaceInfo?.id ?? '';
  } catch {
    return null;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

async function freePort(...preferred: (number | undefined)[]): Promise<number> {
  for (const port of preferred) if (port !== undefined && (await isFree(port))) return port;
  return new Promise((resolve) => {
    const server = createServer().listen(0, HOST, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function readRecord(folder: string): Promise<ServerRecord | null> {
  const text = await readFile(join(folder, 'server.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return JSON.parse(text) as ServerRecord;
  } catch {
    return null;
  }
}

async function writeRecord(folder: string, record: ServerRecord): Promise<void> {
  const temporary = join(folder, `server.json.${process.pid}`);
  await writeFile(temporary, JSON.stringify(record));
  await rename(temporary, join(folder, 'server.json'));
}

/** The server of a folder, if it runs and answers. Starts nothing. */
export async function findEmbeddedServer(folder: string): Promise<ServerRecord | null> {
  const record = await readRecord(folder);
  if (record === null || !isAlive(record.pid)) return null;
  // Another folder's server may have this one's port by now.
  const namespace = await namespaceAt(record.port);
  if (namespace === null) return null;
  // Whoever started it died before it was up.
  if (record.namespace_id === '') return { ...record, namespace_id: namespace };
  return namespace === record.namespace_id ? record : null;
}

/** One process at a time decides whether a server has to be started. A lock whose holder died is taken over. */
async function withLock<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const path = join(folder, 'lock');
  for (;;) {
    const lock = await open(path, 'wx').catch(() => null);
    if (lock !== null) {
      await lock.writeFile(String(process.pid));
      await lock.close();
      break;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    // An empty lock is one whose holder is about to write its number, or died before it did.
    if (holder > 0 ? !isAlive(holder) : age > 5000) await rm(path, { force: true });
    else await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Ports that were free a moment ago may be taken by the time that the server binds them. */
const START_ATTEMPTS = 3;

async function startServer(
  options: EmbeddedServerOptions,
  before: ServerRecord | null,
): Promise<ServerRecord> {
  const binary = await provideTemporalBinary(options);
  for (let attempt = 1; ; attempt++) {
    const preferred = attempt === 1;
    const port = await freePort(...(preferred ? [before?.port, USUAL_PORT] : []));
    const uiPort = await freePort(...(preferred ? [before?.ui_port, USUAL_UI_PORT] : []));
    try {
      return await launchServer(binary, options.folder, port, uiPort);
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function launchServer(
  binary: string,
  folder: string,
  port: number,
  uiPort: number,
): Promise<ServerRecord> {
  const logPath = join(folder, 'server.log');
  const log = await open(logPath, 'a');
  const logStart = (await log.stat()).size;
  const attributes = Object.values(SEARCH_ATTRIBUTES).flatMap((name) => [
    '--search-attribute',
    `${name}=Keyword`,
  ]);
  const child = spawn(
    binary,
    [
      'server',
      'start-dev',
      ...['--ip', HOST, '--port', String(port), '--ui-port', String(uiPort), '--log-level', 'error'],
      ...['--db-filename', join(folder, 'temporal.db')],
      ...TUNING,
      ...attributes,
    ],
    // A process group of its own: the server outlives a crash of the command, and the run goes on after it.
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.unref();
  await log.close();
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  const pid = child.pid ?? -1;
  // At once, so that a command which dies while the server starts leaves no server behind that nobody knows.
  await writeRecord(folder, { pid, port, ui_port: uiPort, namespace_id: '' });
  const started = Date.now();
  const ownLog = async () => (await readFile(logPath)).subarray(logStart).toString();
  for (;;) {
    const problem = await Promise.race([exited, sleep(50).then(() => null)]);
    const late = Date.now() - started > START_TIMEOUT;
    if (problem !== null || late) {
      if (problem === null) process.kill(pid, 'SIGKILL');
      const tail = (await ownLog()).trim().split('\n').slice(-5).join('\n');
      throw new Error(
        `the Temporal server did not start (${problem ?? 'it does not answer'}); ${logPath} ends with:\n${tail}`,
      );
    }
    const namespace = await namespaceAt(port);
    if (namespace === null) continue;
    // Whoever answers may be another server that was faster at this port: ours says so when it is up.
    if (!/Server:/.test(await ownLog()) && Date.now() - started < SURELY_OURS) continue;
    const record = { pid, port, ui_port: uiPort, namespace_id: namespace };
    await writeRecord(folder, record);
    return record;
  }
}

/** Ends a server that Reprise started, and waits until its database is closed. */
export async function stopServer(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_TIMEOUT;
  while (isAlive(pid) && Date.now() < deadline) await sleep(50);
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

async function otherUsers(folder: string): Promise<number> {
  const users = join(folder, 'users');
  let count = 0;
  for (const name of await readdir(users).catch(() => [])) {
    const pid = Number(name);
    if (pid === process.pid) continue;
    if (isAlive(pid)) count += 1;
    else await rm(join(users, name), { force: true });
  }
  return count;
}

/** Milliseconds between two looks at the server's process. */
const WATCH_INTERVAL = 500;

/** Starts the server again, on the same database and port, whenever it dies while it is in use. */
function keepAlive(
  options: EmbeddedServerOptions,
  record: ServerRecord,
): { current: ServerRecord; lost: Promise<never>; stop(): void } {
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => undefined);
  const watch = { current: record, lost, stop: () => clearInterval(timer) };
  let restarting = false;
  const timer = setInterval(() => {
    if (restarting || isAlive(watch.current.pid)) return;
    restarting = true;
    if (!existsSync(options.folder)) {
      watch.stop();
      lose(new Error(`the Temporal server has died, and its folder ${options.folder} is gone`));
      return;
    }
    options.say?.('The Temporal server has died; starting it again on its database…');
    withLock(options.folder, async () => {
      watch.current =
        (await findEmbeddedServer(options.folder)) ?? (await startServer(options, watch.current));
      if (watch.current.port === record.port) return;
      // Whoever answers at the old port now is not ours, and must not be asked for work.
      lose(
        new Error(
          `the Temporal server died, and another program has taken its port ${record.port}. It runs again on port ${watch.current.port}; nothing is lost: give the same command again`,
        ),
      );
    })
      .catch((error: Error) => options.say?.(error.message))
      .finally(() => {
        restarting = false;
      });
  }, WATCH_INTERVAL);
  timer.unref();
  return watch;
}

/**
 * The embedded server of a folder: found if it runs, else started on the folder's database. It outlives a crash of
 * the command that started it; the next command finds it, or starts it again where it died too. While it is in use
 * here it is watched, and started again when it dies.
 */
export async function useEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { folder } = options;
  await mkdir(join(folder, 'users'), { recursive: true });
  return withLock(folder, async () => {
    const running = await findEmbeddedServer(folder);
    const record = running ?? (await startServer(options, await readRecord(folder)));
    const user = join(folder, 'users', String(process.pid));
    await writeFile(user, '');
    const watch = keepAlive(options, record);
    return {
      address: `${HOST}:${record.port}`,
      uiUrl: `http://${HOST}:${record.ui_port}`,
      pid: record.pid,
      started: running === null,
      lost: watch.lost,
      release: () => {
        watch.stop();
        return withLock(folder, async () => {
          await rm(user, { force: true });
          if ((await otherUsers(folder)) === 0) await stopServer(watch.current.pid);
        });
      },
    };
  });
}
