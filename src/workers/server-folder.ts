import { resolve } from 'node:path';

/** Where the embedded server keeps its database, by default `.reprise` in the working folder. */
export function serverFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.REPRISE_SERVER_DIR || '.reprise');
}
