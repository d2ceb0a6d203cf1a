import { execFile } from 'node:child_process';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../storage/process-identity.js';

/** Option that identifies the folder of a server process. */
export const DATABASE_OPTION = '--db-filename';

/** Server that runs on a folder's database, from the list of processes. */
export interface ServerProcess {
  pid: number;
  port: number;
  ui_port: number;
}

const run = promisify(execFile);

/** Lists the processes of this host and their command lines; those of other users may be hidden. */
async function commandLines(): Promise<[pid: number, command: string][]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (ids.length === 0) {
    const { stdout } = await run('ps', ['-axwwo', 'pid=,command='], { maxBuffer: 2 ** 28 });
    return stdout.split('\n').map((line) => [Number.parseInt(line, 10), line]);
  }
  return Promise.all(
    ids.map(async (pid) => {
      // Empty for a process that has ended and was not waited for.
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [Number(pid), words.split('\0').join(' ')] as [number, string];
    }),
  );
}

/**
 * Returns the server that runs on a folder's database, whoever started it and whatever its record says; null if none
 * runs on this host.
 */
export async function serverProcess(folder: string): Promise<ServerProcess | null> {
  const place = await realpath(folder).catch(() => folder);
  for (const [pid, command] of await commandLines()) {
    const database = new RegExp(` ${DATABASE_OPTION} (.*?temporal\\.db)(?= |$)`).exec(command)?.[1];
    if (database === undefined) continue;
    const its = await realpath(dirname(database)).catch(() => dirname(database));
    if (its !== place) continue;
    const number = (option: string) => Number(new RegExp(` --${option} (\\d+)`).exec(command)?.[1] ?? 0);
    return { pid, port: number('port'), ui_port: number('ui-port') };
  }
  return null;
}

/** Maximum milliseconds until a process has ended. */
const ENDING = 10_000;

/**
 * Waits for a process that is about to end: after the end of its first thread, it is listed without a command line, and
 * its files and ports stay open until the last thread ends.
 */
export async function untilProcessEnded(pid: number): Promise<void> {
  const deadline = performance.now() + ENDING;
  while (isAlive(pid) && performance.now() < deadline) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
    if (words !== '') return;
    await sleep(20);
  }
}

/** Returns the file of a folder's database. */
export const databaseOf = (folder: string): string => join(folder, 'temporal.db');
