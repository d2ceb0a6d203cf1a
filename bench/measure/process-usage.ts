import { readdir, readFile } from 'node:fs/promises';

/** CPU time and peak memory; null where the system does not tell (it is read from Linux's /proc). */
export interface Usage {
  cpu_seconds: number | null;
  /** Highest resident memory of one process. */
  peak_bytes: number | null;
}

/** A contestant's own processes, and apart from them the Temporal server's. */
export interface WatchedUsage {
  worker: Usage;
  server: Usage;
}

/** Clock ticks a second in /proc; the same on every Linux in use. */
const TICKS = 100;
/** Milliseconds between two looks: what a process does after the last one is not seen. */
const INTERVAL = 100;

interface Seen {
  server: boolean;
  cpuSeconds: number;
  peakBytes: number;
}

async function children(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

async function look(pid: number): Promise<Seen | null> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    // The name is in brackets and may hold anything; fields are counted after it (proc(5): utime 14, stime 15).
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
    return {
      server: name.startsWith('temporal'),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
      peakBytes: Number(peak ?? 0) * 1024,
    };
  } catch {
    return null;
  }
}

/** CPU time of one process so far; null where it is gone, or the system does not tell. */
export async function cpuSecondsOf(pid: number): Promise<number | null> {
  return (await look(pid))?.cpuSeconds ?? null;
}

/** Watches processes and everything they start, until `stop`. */
export class UsageWatch {
  private readonly seen = new Map<number, Seen>();
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;

  constructor(private readonly roots: readonly number[]) {
    this.timer = setInterval(() => {
      this.looking ??= this.lookAtAll().finally(() => {
        this.looking = undefined;
      });
    }, INTERVAL);
  }

  async stop(): Promise<WatchedUsage> {
    clearInterval(this.timer);
    await this.looking;
    await this.lookAtAll();
    return { worker: this.sum(false), server: this.sum(true) };
  }

  private async lookAtAll(): Promise<void> {
    // A server outlives the command that started it and is then nobody's child: once seen, it stays watched.
    const waiting = [...new Set([...this.roots, ...this.seen.keys()])];
    const visited = new Set<number>();
    while (waiting.length > 0) {
      const pid = waiting.shift() as number;
      if (visited.has(pid)) continue;
      visited.add(pid);
      const found = await look(pid);
      if (found === null) continue;
      // A child that has not become its own program yet wears its parent's name and counts as its parent's.
      if (found.peakBytes > 0) this.seen.set(pid, found);
      waiting.push(...(await children(pid)));
    }
  }

  private sum(server: boolean): Usage {
    const processes = [...this.seen.values()].filter((process) => process.server === server);
    if (processes.length === 0) return { cpu_seconds: null, peak_bytes: null };
    return {
      cpu_seconds: processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      peak_bytes: Math.max(...processes.map(({ peakBytes }) => peakBytes)),
    };
  }
}
