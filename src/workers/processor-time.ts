import { readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds of a tick: Linux counts in hundredths of a second, whatever its clock's rate. */
const MS_PER_TICK = 10;

/** Returns the name of the calling thread, for {@link processorTime}; null if the system has no `/proc`. */
export function ownThread(): string | null {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return null;
  }
}

/**
 * Returns the processor time in milliseconds that a thread of this process has used; null if it is not known (any
 * more).
 */
export function processorTime(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The second field is a name in parentheses, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    return (user + system) * MS_PER_TICK;
  } catch {
    return null;
  }
}
