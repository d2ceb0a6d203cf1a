import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { HOST } from './free-port.js';
import { type ServerProcess, serverProcess } from './server-process.js';

/** Content of `server.json`, by which another command finds a server, or starts it again. */
export interface ServerRecord extends ServerProcess {
  /** ID of the namespace `default`, which identifies this folder's database; '' until the server is up. */
  namespace_id: string;
  /** Host of its process; absent if it was ended properly. */
  host?: string;
}

/** Milliseconds that a server has to answer. */
const CALL_TIMEOUT = 2000;

/** Returns the ID of the namespace `default` of the server at a port; null if none answers. */
export async function namespaceAt(port: number): Promise<string | null> {
  const address = `${HOST}:${port}`;
  const connection = await Connection.connect({ address, connectTimeout: CALL_TIMEOUT }).catch(() => null);
  if (connection === null) return null;
  try {
    const { namespaceInfo } = await connection.withDeadline(Date.now() + CALL_TIMEOUT, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return namespaceInfo?.id ?? '';
  } catch {
    return null;
  } finally {
    await connection.close();
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

/** Milliseconds to wait for a server that runs and does not answer: it may be starting, or the machine is busy. */
const PATIENCE = 60_000;
/** Milliseconds of waiting after which people are notified. */
const LONG_WAIT = 3000;

/** Error for a server that runs on a folder's database and does not answer. */
export class SilentServerError extends Error {
  constructor(
    folder: string,
    readonly server: ServerProcess,
  ) {
    super(
      `the Temporal server of ${folder} (process ${server.pid}) runs and does not answer: \`npx reprise run\` or \`npx reprise dev\` ends it and starts it again on its database`,
    );
    this.name = 'SilentServerError';
  }
}

export interface FindOptions {
  /** Returns the namespace ID of the server at a port; null if none answers. */
  ask?: (port: number) => Promise<string | null>;
  patience?: number;
  /** Called in a long wait. */
  say?: ((message: string) => void) | undefined;
}

/**
 * Finds the server of a folder; null if none runs. Waits for a running one to answer: a second server would use the
 * same database at the same time. Starts and ends nothing.
 * @throws SilentServerError if it runs and does not answer.
 */
export async function findEmbeddedServer(
  folder: string,
  { ask = namespaceAt, patience = PATIENCE, say }: FindOptions = {},
): Promise<ServerRecord | null> {
  const started = performance.now();
  let hasSaid = false;
  for (;;) {
    const server = await serverProcess(folder);
    if (server === null) return null;
    const record = await readRecord(folder);
    // Another server that took this port first may answer, while this one is about to end.
    const namespace = await ask(server.port);
    const expected = record?.namespace_id || namespace;
    if (namespace !== null && namespace === expected) return { ...server, namespace_id: namespace };
    const waited = performance.now() - started;
    if (waited > patience) throw new SilentServerError(folder, server);
    if (!hasSaid && waited > LONG_WAIT) {
      hasSaid = true;
      say?.(`The Temporal server (process ${server.pid}) does not answer yet; waiting for it…`);
    }
    await sleep(100);
  }
}
