import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDead, processIdentity } from '../storage/process-identity.js';

/** Variables with the accounts, addresses and prices of models, the hub and object stores. */
const OF_ACCOUNTS =
  /^(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|AWS(?!_SDK_)|S3|HF|HUGGING_FACE)_|_API_KEY$|^REPRISE_PRICES$/;

/**
 * Returns the task queue of processes with these keys, on the server of a folder: commands that share the server do not
 * use each other's keys. Its name contains a keyed hash, which reveals no key; without keys it is the given queue.
 */
export async function keyQueue(
  taskQueue: string,
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const accounts = Object.entries(environment)
    .filter(([name, value]) => OF_ACCOUNTS.test(name) && value !== undefined && value !== '')
    .sort(([left], [right]) => (left < right ? -1 : 1));
  if (accounts.length === 0) return taskQueue;
  const hash = createHmac('sha256', await secretOf(folder)).update(JSON.stringify(accounts));
  return `${taskQueue}.keys.${hash.digest('hex').slice(0, 10)}`;
}

/** Returns the secret of the folder's server; the first process creates it. */
async function secretOf(folder: string): Promise<string> {
  const path = join(folder, 'queue-secret');
  await writeFile(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  return readFile(path, 'utf8');
}

const queuesOf = (folder: string) => join(folder, 'queues');

/** Notes the queues that a session of this process works on. @param session its name @returns removes the note */
export async function noteQueues(
  folder: string,
  session: string,
  queues: readonly string[],
): Promise<() => Promise<void>> {
  const path = join(queuesOf(folder), `${process.pid}.${session}.json`);
  await mkdir(queuesOf(folder), { recursive: true });
  await writeFile(path, JSON.stringify({ identity: processIdentity(), queues }));
  return () => rm(path, { force: true });
}

/** Returns the ID of another process that works on a queue; null if none is known. */
export async function otherOn(folder: string, queue: string): Promise<string | null> {
  for (const name of await readdir(queuesOf(folder)).catch(() => [])) {
    const text = await readFile(join(queuesOf(folder), name), 'utf8').catch(() => '');
    const [processId = ''] = name.split('.');
    if (text === '' || processId === String(process.pid)) continue;
    const { identity, queues } = JSON.parse(text) as { identity: string; queues: string[] };
    if (isDead(identity)) await rm(join(queuesOf(folder), name), { force: true });
    else if (queues.includes(queue)) return processId;
  }
  return null;
}
