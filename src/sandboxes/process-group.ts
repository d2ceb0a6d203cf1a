import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * A command in a process group of its own. Shells and the like that it starts belong to the group as well.
 * @throws what the system says where it cannot even try to start one.
 */
export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its exit code, or null where a signal ended it. Rejects where it could not be started. */
  readonly exit: Promise<number | null>;
  /** What it writes to descriptor 3, where that was asked for. */
  readonly result: Readable | null;
  /** Resolves when nothing can write to its output any more; never rejects. */
  readonly closed: Promise<void>;
  private killed = false;

  constructor(
    command: string,
    args: string[],
    { hasResult = false, ...options }: { cwd: string; env: Record<string, string>; hasResult?: boolean },
  ) {
    const stdio = Array.from({ length: hasResult ? 4 : 3 }, () => 'pipe' as const);
    // All of them are pipes.
    const child = spawn(command, args, {
      ...options,
      detached: true,
      stdio,
    }) as ChildProcessWithoutNullStreams;
    this.child = child;
    this.exit = new Promise((resolve, reject) => {
      child.once('exit', resolve);
      child.on('error', reject);
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    // Where no more files can be opened, Node says so in an event, and until then the child looks started.
    if (child.stdio === undefined) {
      this.exit.catch(() => undefined);
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    }
    this.result = hasResult ? (child.stdio[3] as Readable) : null;
  }

  /** Whether something else than {@link kill} ended it by SIGKILL: the kernel, an operator, or the program itself. */
  get killedByOthers(): boolean {
    return this.child.signalCode === 'SIGKILL' && !this.killed;
  }

  /** Ends what is left of the group. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined || this.killed) return;
    this.killed = true;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All of it has ended by itself.
    }
  }
}
