import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies the scope of process ids: a boot of a machine, and a namespace of process ids on it. */
export function hostIdentity(): string {
  const boot = read('/proc/sys/kernel/random/boot_id').slice(0, 8);
  const namespace = readLink('/proc/self/ns/pid').replace(/\D/g, '');
  return [hostname(), boot, namespace].filter((part) => part !== '').join('.');
}

/** Identifies a process for other hosts and later times: host, process id, start. */
export function processIdentity(processId = process.pid): string {
  return `${hostIdentity()}/${processId}/${startOf(processId) ?? 0}`;
}

/** Reports whether the process of an identity is dead; null where it is unknown, because the host is another one. */
export function isDead(identity: string): boolean | null {
  const [host, processId, start] = identity.split('/');
  if (host !== hostIdentity()) return null;
  // The id may have been reused by another process.
  return !isAlive(Number(processId)) || String(startOf(Number(processId)) ?? 0) !== start;
}

/**
 * Reports whether a process of this host is running. A zombie is not; but where only its main thread has ended and
 * others run, its files and ports are still open.
 */
export function isAlive(processId: number): boolean {
  // For `kill`, -1 means every process of the user, and 0 this process group.
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
  } catch (error) {
    // EPERM: another user's process is alive.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const tasks = `/proc/${processId}/task`;
  const threads = list(tasks);
  // Where there is /proc, a process without threads has ended since it was asked for.
  if (threads.length === 0) return list('/proc/self/task').length === 0;
  return threads.some((thread) => !/^[ZX]?$/.test(fieldsOf(`${tasks}/${thread}`)[0] ?? ''));
}

/** Returns the start time of a process, in clock ticks; null where there is no /proc. */
function startOf(processId: number): string | null {
  return fieldsOf(`/proc/${processId}`)[19] ?? null;
}

/** Reads the fields of a process or thread in /proc from its state on; empty where there is none. */
function fieldsOf(folder: string): string[] {
  const stat = read(`${folder}/stat`);
  // The second field is the program's name in brackets, which may contain anything.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
