import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Use } from '../config/named-files.js';
import { isPrivate, makePrivate } from '../user-code/private-folder.js';

/** A thing that a person has typed, as it is entered. */
export interface Entry {
  use: Use;
  what: string;
}

/** Where it is kept what people have typed, and their code: REPRISE_STATE_DIR, else below the XDG folder for state. */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.REPRISE_STATE_DIR) return environment.REPRISE_STATE_DIR;
  return join(environment.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'reprise', 'named');
}

function nameOf({ use, what }: Entry): string {
  return `${createHash('sha256').update(`${use}\0${what}`).digest('hex')}.json`;
}

/**
 * What a user has typed on this machine, for one Temporal server: commands enter it, and workers, which may be other
 * processes, look it up. An entry is a file that is named by its content, so many commands may enter the same.
 */
export class StateFolder {
  private readonly folder: string;

  /** @param namespaceId the id of the server's namespace: what is typed for one server says nothing to another. */
  constructor(
    private readonly root: string,
    namespaceId: string,
  ) {
    this.folder = join(root, namespaceId.replaceAll(/[^\w-]/g, '_'));
  }

  /** @throws Error where the folder cannot be written, or is not this user's own. */
  enter(entries: readonly Entry[]): void {
    for (const folder of [this.root, this.folder]) makePrivate(folder);
    for (const entry of entries) {
      writeFileSync(join(this.folder, nameOf(entry)), JSON.stringify(entry), { mode: 0o600 });
    }
  }

  has(entry: Entry): boolean {
    return existsSync(join(this.folder, nameOf(entry))) && isPrivate(this.root) && isPrivate(this.folder);
  }
}
