import { existsSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { homeFolder } from '../config/paths.js';

const DEFAULT_FOLDER = '.reprise';

/**
 * Returns the embedded server's folder: REPRISE_SERVER_DIR, else `.reprise` in the working folder or its parent; see
 * `homeFolder`.
 */
export function serverFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.REPRISE_SERVER_DIR || join(homeFolder(process.cwd()), DEFAULT_FOLDER));
}

/** Permission bits of other users, and the sticky bit of folders shared by everybody, such as /tmp. */
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Creates a folder that only this user can read: histories contain prompts and replies. An existing server folder of
 * this user is made private. A folder of another user, for example a mounted one, stays as it is.
 */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.() || (mode & OTHERS) === 0 || (mode & STICKY) !== 0) return;
  // REPRISE_SERVER_DIR may name a folder that contains other things as well.
  const isServers = basename(folder) === DEFAULT_FOLDER || existsSync(join(folder, 'server.json'));
  if (isServers) await chmod(folder, mode & 0o700);
}
