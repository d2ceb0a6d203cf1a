import { writeFile } from 'node:fs/promises';
import { processIdentity } from '../storage/process-identity.js';

export interface SignsOfLife {
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
