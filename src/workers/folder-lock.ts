import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDead, processIdentity } from '../storage/process-identity.js';

const NAME = /^lock\.(\d+)$/;
/** Content of a free lock; no host has this name. */
const FREE = '=free';
const LOOK_EVERY = 100;
/** Milliseconds between two signs of life of a holder. */
const SIGN_EVERY = 2000;
/** Milliseconds without a sign of life after which a holder on another host is taken for dead. */
const SILENCE = 15_000;
/** Milliseconds for which a lock may have no name yet: its holder is about to write it, or died before it did. */
const NAMELESS = 5000;
/** Milliseconds of waiting after which people are notified. */
const LONG_WAIT = 5000;

interface SignsOfLife {
  /** Gives no more signs, and waits until the last one is written. */
  stop(): Promise<void>;
}

/** Returns a sign of life: the process's identity and the number of the sign, of which only the change counts. */
export function signOfLife(number: number): string {
  return `${processIdentity()} ${number}`;
}

/**
 * Writes repeated signs of life of this process into a file.
 * @param flag `r+` if a deleted file must not come back.
 */
export function giveSignsOfLife(path: string, everyMs: number, flag: 'w' | 'r+'): SignsOfLife {
  let signs = 0;
  let signing = Promise.resolve();
  const timer = setInterval(() => {
    signing = writeFile(path, signOfLife(++signs), { flag }).catch(() => undefined);
  }, everyMs).unref();
  return {
    stop() {
      clearInterval(timer);
      return signing;
    },
  };
}

/**
 * Does one piece of work in a folder at a time, across processes. A dead holder is replaced.
 *
 * The lock is the file `lock.<n>` of the highest number: a process that finds it free, or its holder dead, creates the
 * next one, which only one of several processes can. A file that was the highest is removed only after a higher one
 * exists, so that no number is created twice.
 * @param say called in a long wait.
 */
export async function withLock<Value>(
  folder: string,
  work: () => Promise<Value>,
  say: (message: string) => void = () => undefined,
): Promise<Value> {
  const path = await acquire(folder, say);
  // A lock that another process has replaced and removed must not come back.
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
    // A process whose reading is old may have created a number that others have already passed.
    if ((await highest(folder)) === last + 1) {
      await removeBelow(folder, last + 1);
      return path;
    }
    await rm(path, { force: true });
  }
}

/** Watches a lock until its holder has released it or is dead. */
class Wait {
  /** Last content, and the time since when it is unchanged, by `performance.now()`. */
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

/** Creates a lock. @returns false if it exists. */
async function created(path: string): Promise<boolean> {
  try {
    await writeFile(path, signOfLife(0), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
