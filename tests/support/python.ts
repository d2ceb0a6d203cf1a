import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mustSkipWithout } from './missing-part.js';

/** Whether this machine has a `python3` that is new enough to run programs. */
export async function findPython(): Promise<boolean> {
  const check = 'import sys; sys.exit(sys.version_info < (3, 9))';
  return promisify(execFile)('python3', ['-c', check]).then(
    () => true,
    () => false,
  );
}

/** Whether tests that need Python must be skipped. */
export function mustSkipPython(found: boolean): boolean {
  return mustSkipWithout(
    'python',
    found ? null : 'Python is missing: install Python 3.9 or newer as python3',
  );
}

/** A program: its first thread ends, and another one continues, as happens for a moment wherever a process with threads is killed. */
export const WITHOUT_FIRST_THREAD = `
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).pthread_exit(None)
`;
