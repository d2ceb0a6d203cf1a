import { existsSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { homeFolder } from '../config/paths.js';

const DEFAULT_FOLDER = '.reprise';

/** Where the embedded server keeps its database, by default `.reprise` in the working folder, or beside it; see `homeFolder`. */
export function serverFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.REPRISE_SERVER_DIR || join(homeFolder(process.cwd()), DEFAULT_FOLDER));
}

/** What a folder has that others than its owner may do, and the bit of a folder that is everybody's, such as /tmp. */
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Makes a folder that only this user can look into: histories hold prompts and replies. One that was there, and is this
 * user's and a server's, becomes so. A folder of another user, as a mounted one may be, stays as it is.
 */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.() || (mode & OTHERS) === 0 || (mode & STICKY) !== 0) return;
  // REPRISE_SERVER_DIR may name a folder that holds other things as well.
  const isServers = basename(folder) === DEFAULT_FOLDER || existsSync(join(folder, 'server.json'));
  if (isServers) await chmod(folder, mode & 0o700);
}
