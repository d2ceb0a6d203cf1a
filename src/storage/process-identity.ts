import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The place where a process id has a meaning: a boot of a machine, and a namespace of process ids within it. */
export function hostIdentity(): string {
  const boot = read('/proc/sys/kernel/random/boot_id').slice(0, 8);
  const namespace = readLink('/proc/self/ns/pid').replace(/\D/g, '');
  return [hostname(), boot, namespace].filter((part) => part !== '').join('.');
}

/** A process as other places and later times can name it: host, process id, start. */
export function processIdentity(processId = process.pid): string {
  return `${hostIdentity()}/${processId}/${startOf(processId) ?? 0}`;
}

/** Whether the process of an identity is dead; null where its host is another one and nobody here can know. */
export function isDead(identity: string): boolean | null {
  const [host, processId, start] = identity.split('/');
  if (host !== hostIdentity()) return null;
  // The id may have gone to another process since.
  return !isAlive(Number(processId)) || String(startOf(Number(processId)) ?? 0) !== start;
}

/**
 * Whether a process of this host runs. One that has ended and that nobody has asked about since does not; but its first
 * thread may have ended before others, and until those have, its files and ports are open.
 */
export function isAlive(processId: number): boolean {
  // To the system -1 is every process of the user, and 0 the group of this one.
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
  } catch (error) {
    // The process of another user is alive.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const tasks = `/proc/${processId}/task`;
  const threads = list(tasks);
  return (
    threads.length === 0 || threads.some((thread) => !/^[ZX]?$/.test(fieldsOf(`${tasks}/${thread}`)[0] ?? ''))
  );
}

/** When a process started, in the kernel's ticks; null where there is no /proc. */
function startOf(processId: number): string | null {
  return fieldsOf(`/proc/${processId}`)[19] ?? null;
}

/** What /proc says of a process or a thread from its state on; empty where there is none. */
function fieldsOf(folder: string): string[] {
  const stat = read(`${folder}/stat`);
  // The second field is the program's name in brackets, which may hold anything.
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
