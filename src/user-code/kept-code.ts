import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeSmall } from '../storage/atomic-write.js';
import { isPrivate, makePrivate } from './private-folder.js';

/** Days since the last experiment began with a text, after which it is deleted. */
const DAYS = 90;
const DAY_MS = 86_400_000;

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Store of users' code with which workers of this machine and account have begun experiments: `code/` in the state
 * folder, each text named by its SHA-256. It is not read where others can write to it.
 */
export class KeptCode {
  private readonly folder: string;

  constructor(private readonly root: string) {
    this.folder = join(root, 'code');
  }

  /** Keeps texts. Failures are ignored: a worker that begins with an experiment has its code in memory. */
  async keep(texts: Iterable<Uint8Array>): Promise<void> {
    try {
      for (const folder of [this.root, this.folder]) makePrivate(folder);
      for (const text of texts) await this.keepOne(text);
    } catch {
      // Ignored, see above.
    }
  }

  /** @param hash SHA-256, in hexadecimal digits */
  text(hash: string): string | undefined {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    try {
      if (!isPrivate(this.root) || !isPrivate(this.folder)) return undefined;
      const bytes = readFileSync(join(this.folder, hash));
      return hashOf(bytes) === hash ? bytes.toString('utf8') : undefined;
    } catch {
      return undefined;
    }
  }

  private async keepOne(text: Uint8Array): Promise<void> {
    const path = join(this.folder, hashOf(text));
    const now = new Date();
    if (existsSync(path)) {
      utimesSync(path, now, now);
      return;
    }
    await writeSmall(path, text, false);
    this.throwOldAway(now.getTime() - DAYS * DAY_MS);
  }

  private throwOldAway(before: number): void {
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before)
        rmSync(path, { force: true });
    }
  }
}
