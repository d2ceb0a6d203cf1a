import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOST } from './free-port.js';
import { type EmbeddedServerOptions, startServer, stopServer } from './launch-server.js';
import { findEmbeddedServer, isAlive, readRecord, type ServerRecord, withLock } from './server-record.js';

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
