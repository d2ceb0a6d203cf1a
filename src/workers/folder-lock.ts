import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDead } from '../storage/process-identity.js';
import { giveSignsOfLife, signOfLife } from './signs-of-life.js';

const NAME = /^lock\.(\d+)$/;
/** No host is called so. */
const FREE = '=free';
const LOOK_EVERY = 100;
/** Milliseconds between two signs of life of a holder. */
const SIGN_EVERY = 2000;
/** Milliseconds without a sign after which a holder of another host is given up. */
const SILENCE = 15_000;
/** Milliseconds for which a lock may hold no name yet: its holder is about to write it, or died before it did. */
const NAMELESS = 5000;
/** Milliseconds of waiting that are worth a word. */
const LONG_WAIT = 5000;

/**
 * Does one piece of work in a folder at a time, whichever processes want to. A holder that has died is followed.
 *
 * The lock is the file `lock.<n>` of the highest number: who finds it free, or its holder dead, creates the next, which
 * one of several can. A file that has been the highest is only removed once a higher one stands, so that nobody creates
 * a number twice.
 * @param say hears of a long wait.
 */
export async function withLock<Value>(
  folder: string,
  work: () => Promise<Value>,
  say: (message: string) => void = () => undefined,
): Promise<Value> {
  const path = await acquire(folder, say);
  // A lock that another process has followed and removed must not come back.
  const signs = giveSignsOfLife(path, SIGN_EVERY, 'r+');
  try {
    return await work();
  } finally {
    await signs.stop();
    await writeFile(path, FREE, { flag: 'r+' }).catch(() => undefined);
  }
}

async function acquire(folder: string, say: (message: string) => void): Promise<string> {
  const waiting = new Wait();
  const started = Date.now();
  let hasSaid = false;
  for (;;) {
    const last = await highest(folder);
    if (last > 0 && !(await waiting.isOver(join(folder, `lock.${last}`)))) {
      if (!hasSaid && Date.now() - started > LONG_WAIT) {
        hasSaid = true;
        say(`Waiting for ${waiting.holder}, which has locked ${folder}…`);
      }
      await sleep(LOOK_EVERY);
      continue;
    }
    const path = join(folder, `lock.${last + 1}`);
    if (!(await created(path))) continue;
    // Somebody who looked long ago may have created a number that others have gone past.
    if ((await highest(folder)) === last + 1) {
      await removeBelow(folder, last + 1);
      return path;
    }
    await rm(path, { force: true });
  }
}

/** Looks at a lock again and again, until its holder has given it back or is dead. */
class Wait {
  /** What was seen last, and since when, by `performance.now()`. */
  private seen = { path: '', text: '', since: 0 };

  get holder(): string {
    const [, processId] = this.seen.text.split('/');
    return processId === undefined ? 'another process' : `process ${processId}`;
  }

  async isOver(path: string): Promise<boolean> {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (path !== this.seen.path || text !== this.seen.text) {
      this.seen = { path, text, since: performance.now() };
    }
    if (text.startsWith(FREE)) return true;
    const silent = performance.now() - this.seen.since;
    const [owner = ''] = text.split(' ');
    if (owner.split('/').length < 3) return silent > NAMELESS;
    return isDead(owner) ?? silent > SILENCE;
  }
}

async function numbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
}

async function highest(folder: string): Promise<number> {
  return Math.max(0, ...(await numbers(folder)));
}

async function removeBelow(folder: string, number: number): Promise<void> {
  for (const one of await numbers(folder)) {
    if (one < number) await rm(join(folder, `lock.${one}`), { force: true });
  }
}

/** Creates a lock, unless it is there. */
async function created(path: string): Promise<boolean> {
  try {
    await writeFile(path, signOfLife(0), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
