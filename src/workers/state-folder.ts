import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Use } from '../config/named-files.js';
import { isPrivate, makePrivate } from '../user-code/private-folder.js';

/** Note of a thing that a person has typed. */
export interface TypedNote {
  use: Use;
  what: string;
}

/**
 * Returns the folder of what people have typed, and of their code: REPRISE_STATE_DIR, else below the XDG state folder.
 */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.REPRISE_STATE_DIR) return environment.REPRISE_STATE_DIR;
  return join(environment.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'reprise', 'named');
}

function nameOf({ use, what }: TypedNote): string {
  return `${createHash('sha256').update(`${use}\0${what}`).digest('hex')}.json`;
}

/**
 * Notes of what a user has typed on this machine, for one Temporal server: commands write them, and workers, which may
 * be other processes, read them. Each note is a file that is named by its content, so many commands may write the same.
 */
export class StateFolder {
  private readonly folder: string;

  /** @param namespaceId ID of the server's namespace: what is typed for one server does not count for another. */
  constructor(
    private readonly root: string,
    namespaceId: string,
  ) {
    this.folder = join(root, namespaceId.replaceAll(/[^\w-]/g, '_'));
  }

  /** Writes notes. @throws Error if the folder cannot be written, or is not private to this user. */
  enter(entries: readonly TypedNote[]): void {
    for (const folder of [this.root, this.folder]) makePrivate(folder);
    for (const entry of entries) {
      writeFileSync(join(this.folder, nameOf(entry)), JSON.stringify(entry), { mode: 0o600 });
    }
  }

  has(entry: TypedNote): boolean {
    return existsSync(join(this.folder, nameOf(entry))) && isPrivate(this.root) && isPrivate(this.folder);
  }
}
