import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Marks every container of the sandbox. */
export const LABEL = 'reprise';
export const LABEL_VALUE = 'scaffold-runner';
export const OWNER_LABEL = 'reprise.owner';
/** Seconds since 1970 by the worker's clock: until then its program, and its answer, are waited for. */
export const DEADLINE_LABEL = 'reprise.deadline';

/** Clocks of machines that share a daemon may differ by this much. */
const MARGIN_SEC = 120;

/**
 * This process as a container's label names it: host, process id, start. The host stands for the place where the
 * process id has a meaning: a boot of a machine, and a namespace of process ids within it.
 */
export function ownerLabel(): string {
  return `${hostIdentity()}/${process.pid}/${startOf(process.pid) ?? 0}`;
}

/**
 * Whether nobody waits for a container with these labels any more: its time is long over, or the process that started
 * it, on this host, is dead.
 */
export function isOrphan(labels: Readonly<Record<string, string>>, nowSec = Date.now() / 1000): boolean {
  const deadline = Number(labels[DEADLINE_LABEL] ?? Number.NaN);
  if (!(nowSec < deadline + MARGIN_SEC)) return true;
  const [host, processId, start] = (labels[OWNER_LABEL] ?? '').split('/');
  return host === hostIdentity() && !isAlive(Number(processId), start);
}

function hostIdentity(): string {
  const boot = read('/proc/sys/kernel/random/boot_id').slice(0, 8);
  const namespace = readLink('/proc/self/ns/pid').replace(/\D/g, '');
  return [hostname(), boot, namespace].filter((part) => part !== '').join('.');
}

function isAlive(processId: number, start: string | undefined): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    // The process of another user is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // The id may have gone to another process since.
  return String(startOf(processId) ?? 0) === start;
}

/** When a process started, in the kernel's ticks; null where there is no /proc. */
function startOf(processId: number): string | null {
  const stat = read(`/proc/${processId}/stat`);
  // The second field is the program's name in brackets, which may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
