import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInputError } from '../config/errors.js';
import { databaseOf } from './server-process.js';

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
