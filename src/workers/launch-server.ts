import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { hostIdentity, isAlive } from '../storage/process-identity.js';
import { freePort, HOST, isOpen } from './free-port.js';
import { DATABASE_OPTION, databaseOf } from './server-process.js';
import { namespaceAt, type ServerRecord, writeRecord } from './server-record.js';
import { type BinaryOptions, provideTemporalBinary } from './temporal-binary.js';

const USUAL_PORT = 7233;
const USUAL_UI_PORT = 8233;
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 10_000;
/** Milliseconds after which a server that could not bind its port would have ended. */
const SURELY_OURS = 15_000;

/**
 * Settings of the server, which by default polls its queues 20 times a second; see
 * docs/decisions/0002-embedded-server.md.
 */
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

/**
 * Setting that closes the server's HTTP API, which is unused and cannot be turned off. A page of any site could send it
 * a start as plain text, which browsers allow without permission; so it accepts only a host name that no request has.
 */
const NO_HTTP_API = ['--dynamic-config-value', 'frontend.httpAllowedHosts=["none.invalid"]'];

export interface EmbeddedServerOptions extends BinaryOptions {
  /** Folder of database, lock and log; by default `.reprise` in the working folder. */
  folder: string;
  /** Milliseconds to wait for a server that runs and does not answer; by default a minute. */
  patience?: number;
}

/** Maximum attempts: ports that were free a moment ago may be taken before the server binds them. */
const START_ATTEMPTS = 3;

/** Server that was killed while it started, which says nothing about its ports. */
class KilledServerError extends Error {}

/** Starts a server on the folder's database, at its earlier ports if they are free. */
export async function startServer(
  options: EmbeddedServerOptions,
  before: ServerRecord | null,
): Promise<ServerRecord> {
  const binary = await provideTemporalBinary(options);
  let preferred = true;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(...(preferred ? [before?.port, USUAL_PORT] : []));
    const uiPort = await freePort(...(preferred ? [before?.ui_port, USUAL_UI_PORT] : []));
    try {
      return await launchServer(binary, options.folder, port, uiPort);
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      preferred = error instanceof KilledServerError;
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
      ...[DATABASE_OPTION, databaseOf(folder)],
      ...TUNING,
      ...NO_HTTP_API,
      ...attributes,
    ],
    // A process group of its own: the server outlives a crash of the command, and the run continues after it.
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.unref();
  // Attached at once: a program that ends immediately would end before anything that is awaited here.
  const exited = new Promise<{ how: string; killed?: boolean }>((resolve) => {
    child.once('error', (error) => resolve({ how: error.message }));
    child.once('exit', (code, signal) =>
      resolve({ how: `it ended with ${signal ?? `exit code ${code}`}`, killed: signal !== null }),
    );
  });
  await log.close();
  const pid = child.pid ?? -1;
  // Written at once, so that a command that dies while the server starts leaves no unknown server behind.
  const record = { pid, port, ui_port: uiPort, namespace_id: '', host: hostIdentity() };
  await writeRecord(folder, record);
  const started = Date.now();
  const ownLog = async () => (await readFile(logPath)).subarray(logStart).toString();
  for (;;) {
    const problem = await Promise.race([exited, sleep(50).then(() => null)]);
    const late = Date.now() - started > START_TIMEOUT;
    if (problem !== null || late) {
      if (problem === null) await stopServer(pid);
      const tail = (await ownLog()).trim().split('\n').slice(-5).join('\n');
      const message = `the Temporal server did not start (${problem?.how ?? 'it does not answer'}); ${logPath} ends with:\n${tail}`;
      throw problem?.killed ? new KilledServerError(message) : new Error(message);
    }
    // A gRPC client for each look costs a hundred times as much.
    if (!(await isOpen(port))) continue;
    const namespace = await namespaceAt(port);
    if (namespace === null) continue;
    // Another server that took this port first may answer: this one logs when it is up.
    if (!/Server:/.test(await ownLog()) && Date.now() - started < SURELY_OURS) continue;
    const up = { ...record, namespace_id: namespace };
    await writeRecord(folder, up);
    return up;
  }
}

/** Ends a server, even one that hangs, and waits until it is gone and its database is closed. */
export async function stopServer(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(pid)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = Date.now() + STOP_TIMEOUT;
    while (isAlive(pid) && Date.now() < deadline) await sleep(50);
  }
  if (isAlive(pid)) throw new Error(`the Temporal server (process ${pid}) cannot be ended`);
}
