import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Command in its own process group, which includes the processes that it starts.
 * @throws the system's error if no process can be started.
 */
export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Exit code, or null if a signal ended it. Rejects if it could not be started. */
  readonly exit: Promise<number | null>;
  /** Output to descriptor 3, if it was requested. */
  readonly result: Readable | null;
  /** Resolves when no process can write to its output any more; never rejects. */
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
    // If no more files can be opened, Node reports it in an event, and until then the child seems to have started.
    if (child.stdio === undefined) {
      this.exit.catch(() => undefined);
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    }
    this.result = hasResult ? (child.stdio[3] as Readable) : null;
  }

  /** True if SIGKILL ended it, but not by {@link kill}: from the kernel, an operator, or the program itself. */
  get killedByOthers(): boolean {
    return this.child.signalCode === 'SIGKILL' && !this.killed;
  }

  /** Kills the remaining processes of the group. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined || this.killed) return;
    this.killed = true;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All of them have already ended.
    }
  }
}
