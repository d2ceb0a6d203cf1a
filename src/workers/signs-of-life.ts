import { writeFile } from 'node:fs/promises';
import { processIdentity } from '../storage/process-identity.js';

export interface SignsOfLife {
  /** Gives no more, and waits for the last one to be written. */
  stop(): Promise<void>;
}

/** What a process writes of itself: its identity and the number of the sign, of which only the change counts. */
export function signOfLife(number: number): string {
  return `${processIdentity()} ${number}`;
}

/**
 * Writes into a file again and again that this process lives.
 * @param flag `r+` where a file that is gone must not come back.
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
