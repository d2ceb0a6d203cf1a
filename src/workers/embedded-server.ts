import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInputError } from '../config/errors.js';
import { hostIdentity, isAlive, isDead } from '../storage/process-identity.js';
import { giveSignsOfLife, signOfLife, withLock } from './folder-lock.js';
import { HOST } from './free-port.js';
import { type EmbeddedServerOptions, startServer, stopServer } from './launch-server.js';
import { ownFolder } from './server-folder.js';
import { databaseOf, serverProcess, untilProcessEnded } from './server-process.js';
import {
  findEmbeddedServer,
  readRecord,
  type ServerRecord,
  SilentServerError,
  writeRecord,
} from './server-record.js';

export interface EmbeddedServer {
  address: string;
  uiUrl: string;
  pid: number;
  /** True if this call started it. */
  started: boolean;
  /** Rejects if the server can no longer be reached at `address`: it died, and another program took its port. */
  lost: Promise<never>;
  /** Ends this process's use of it; the last user ends the server. */
  release(): Promise<void>;
}

/** Returns the folder in which each user writes signs of life; the server itself outlives its users. */
const usersOf = (folder: string) => join(folder, 'users');

async function otherUsers(folder: string): Promise<number> {
  const users = usersOf(folder);
  let count = 0;
  for (const name of await readdir(users).catch(() => [])) {
    if (name === String(process.pid)) continue;
    const path = join(users, name);
    const [identity = ''] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
    // A user that is about to write its name, or one of version 0.1.0, which writes none.
    const isGone = identity === '' ? !isAlive(Number(name)) : isDead(identity);
    if (isGone === false) count += 1;
    else if (isGone) await rm(path, { force: true });
  }
  return count;
}

/** Milliseconds without a sign of life after which a folder is taken as unused; users give one every five seconds. */
const SILENCE = 15_000;

/**
 * Waits to make sure that no command on another host, such as a container or a machine that shares the folder, uses the
 * server of a folder: its processes are not visible here. The folder is watched, since clocks of two machines differ.
 * @throws InvalidInputError if one uses it.
 */
export async function waitUntilUnused(
  folder: string,
  host: string,
  say: (message: string) => void = () => undefined,
  silence = SILENCE,
): Promise<void> {
  say(
    `${folder} was last used on ${host}, or before this machine was started again; making sure that nobody uses it…`,
  );
  const before = await traces(folder);
  const end = performance.now() + silence;
  while (performance.now() < end) {
    await sleep(silence / 30);
    if ((await traces(folder)) === before) continue;
    throw new InvalidInputError(
      `the Temporal server of ${folder} is in use on ${host}, and two servers on one database lose data. Run the command there, or give this machine a folder of its own with REPRISE_SERVER_DIR, or both one server with TEMPORAL_ADDRESS`,
    );
  }
}

/** Returns what changes while a folder's server is in use. */
async function traces(folder: string): Promise<string> {
  const users = await readdir(join(folder, 'users')).catch(() => []);
  const signs = users.map((name) => readFile(join(folder, 'users', name), 'utf8').catch(() => ''));
  const log = await stat(`${databaseOf(folder)}-wal`).catch(() => null);
  return JSON.stringify([await Promise.all(signs), log?.mtimeMs, log?.size]);
}

/** Finds or starts the server of a folder; the lock must be held. */
async function provideServer(
  options: EmbeddedServerOptions,
  before: ServerRecord | null,
): Promise<{ record: ServerRecord; started: boolean }> {
  const { folder, say, patience } = options;
  try {
    const running = await findEmbeddedServer(folder, {
      say,
      ...(patience === undefined ? {} : { patience }),
    });
    if (running !== null) return { record: running, started: false };
  } catch (error) {
    if (!(error instanceof SilentServerError)) throw error;
    const { pid } = error.server;
    say?.(`The Temporal server (process ${pid}) does not answer; ending it, and starting it again…`);
    await stopServer(pid);
  }
  if (before !== null && before.host !== undefined && before.host !== hostIdentity()) {
    await waitUntilUnused(folder, before.host, say);
  }
  if (before !== null) await untilProcessEnded(before.pid);
  return { record: await startServer(options, before), started: true };
}

/** Milliseconds between two checks of the server's process. */
const WATCH_INTERVAL = 500;
/** Milliseconds between two signs of life of a user. */
const SIGN_EVERY = 5000;

/** Starts the server again, on the same database and port, whenever it dies while it is in use. */
function keepAlive(
  options: EmbeddedServerOptions,
  record: ServerRecord,
): { lost: Promise<never>; stop(): void } {
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => undefined);
  let current = record;
  let restarting = false;
  const look = () => {
    if (restarting || isAlive(current.pid)) return;
    restarting = true;
    if (!existsSync(options.folder)) {
      clearInterval(timer);
      lose(new Error(`the Temporal server has died, and its folder ${options.folder} is gone`));
      return;
    }
    options.say?.('The Temporal server has died; starting it again on its database…');
    withLock(
      options.folder,
      async () => {
        current = (await provideServer(options, current)).record;
        if (current.port === record.port) return;
        // The program that answers at the old port now is another one, and must not receive requests.
        lose(
          new Error(
            `the Temporal server died, and another program has taken its port ${record.port}. It runs again on port ${current.port}; nothing is lost: give the same command again`,
          ),
        );
      },
      options.say,
    )
      .catch((error: Error) => options.say?.(error.message))
      .finally(() => {
        restarting = false;
      });
  };
  const timer = setInterval(look, WATCH_INTERVAL).unref();
  return { lost, stop: () => clearInterval(timer) };
}

/** Notes that this process uses the server of a folder, and gives repeated signs of life. */
async function signIn(folder: string): Promise<{ signOut(): Promise<void> }> {
  const path = join(usersOf(folder), String(process.pid));
  await mkdir(usersOf(folder), { recursive: true });
  await writeFile(path, signOfLife(0));
  const signs = giveSignsOfLife(path, SIGN_EVERY, 'w');
  return {
    async signOut() {
      await signs.stop();
      await rm(path, { force: true });
    },
  };
}

/**
 * Finds the embedded server of a folder, or starts it on the folder's database. It outlives a crash of the command that
 * started it; the next command finds it, or starts it again if it died too. While it is in use here, it is watched and
 * started again when it dies.
 */
export async function useEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { folder, say } = options;
  await ownFolder(folder);
  const use = async () => {
    const { record, started } = await provideServer(options, await readRecord(folder));
    const { signOut } = await signIn(folder);
    const watch = keepAlive(options, record);
    const leave = async () => {
      await signOut();
      if ((await otherUsers(folder)) > 0) return;
      const server = await serverProcess(folder);
      if (server !== null) await stopServer(server.pid);
      const { host, ...last } = (await readRecord(folder)) ?? record;
      if (existsSync(folder)) await writeRecord(folder, last);
    };
    return {
      address: `${HOST}:${record.port}`,
      uiUrl: `http://${HOST}:${record.ui_port}`,
      pid: record.pid,
      started,
      lost: watch.lost,
      release: () => {
        watch.stop();
        return existsSync(folder) ? withLock(folder, leave, say) : leave();
      },
    };
  };
  return withLock(folder, use, say);
}
