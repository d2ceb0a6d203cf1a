import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the folder of programs and downloads kept between runs: REPRISE_CACHE_DIR, else the XDG cache folder. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.REPRISE_CACHE_DIR) return environment.REPRISE_CACHE_DIR;
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'reprise');
}
