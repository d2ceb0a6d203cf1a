import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { HOST } from './free-port.js';

/** What `server.json` keeps of a server, so that another command finds it, or starts it again. */
export interface ServerRecord {
  pid: number;
  port: number;
  ui_port: number;
  /** The id of the namespace `default`, which tells this folder's database from any other. */
  namespace_id: string;
}

export function isAlive(pid: number): boolean {
  // To the system -1 is every process of the user, and 0 the group of this one: neither is a server's.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The id of the namespace `default` of the server at a port; null where none answers. */
export async function namespaceAt(port: number): Promise<string | null> {
  try {
    const connection = await Connection.connect({ address: `${HOST}:${port}`, connectTimeout: 2000 });
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    return namespaceInfo?.id ?? '';
  } catch {
    return null;
  }
}

export async function readRecord(folder: string): Promise<ServerRecord | null> {
  const text = await readFile(join(folder, 'server.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return JSON.parse(text) as ServerRecord;
  } catch {
    return null;
  }
}

export async function writeRecord(folder: string, record: ServerRecord): Promise<void> {
  const temporary = join(folder, `server.json.${process.pid}`);
  await writeFile(temporary, JSON.stringify(record));
  await rename(temporary, join(folder, 'server.json'));
}

/** Milliseconds that a server is given to come up whose starter has died meanwhile. */
const COMING_UP = 60_000;

/**
 * The server of a folder, if it runs and answers. Starts nothing.
 * @param ask whose server answers at a port.
 */
export async function findEmbeddedServer(
  folder: string,
  ask: (port: number) => Promise<string | null> = namespaceAt,
): Promise<ServerRecord | null> {
  const record = await readRecord(folder);
  if (record === null || !isAlive(record.pid)) return null;
  // Whoever started it died before it was up. It is waited for: another one would work on the same database beside it.
  const isComingUp = record.namespace_id === '';
  const deadline = Date.now() + (isComingUp ? COMING_UP : 0);
  let namespace = await ask(record.port);
  while (namespace === null && isAlive(record.pid) && Date.now() < deadline) {
    await sleep(100);
    namespace = await ask(record.port);
  }
  if (namespace === null) return null;
  if (isComingUp) return { ...record, namespace_id: namespace };
  // Another folder's server may have this one's port by now.
  return namespace === record.namespace_id ? record : null;
}

/** One process at a time decides whether a server has to be started. A lock whose holder died is taken over. */
export async function withLock<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const path = join(folder, 'lock');
  for (;;) {
    const lock = await open(path, 'wx').catch(() => null);
    if (lock !== null) {
      await lock.writeFile(String(process.pid));
      await lock.close();
      break;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    // An empty lock is one whose holder is about to write its number, or died before it did.
    if (holder > 0 ? !isAlive(holder) : age > 5000) await rm(path, { force: true });
    else await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
