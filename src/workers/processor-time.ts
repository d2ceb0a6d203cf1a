import { readFileSync, readlinkSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever its clock's rate. */
const MS_PER_TICK = 10;

/** Name of the thread that calls this, for {@link processorTime}; null where the system has no `/proc`. */
export function ownThread(): string | null {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return null;
  }
}

/**
 * Milliseconds for which a thread of this process has had a processor since it began; null where that cannot be known, or
 * not any more.
 */
export function processorTime(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The second field is a name in brackets, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    return (user + system) * MS_PER_TICK;
  } catch {
    return null;
  }
}
