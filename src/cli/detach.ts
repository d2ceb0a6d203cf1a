import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { callSlots, commandQueue } from '../client/session.js';
import { connectClient, resolveServer } from '../workers/connection.js';
import { ownFolder, serverFolder } from '../workers/server-folder.js';
import { EXIT } from './exit.js';
import { printJson, sayText } from './print.js';

/** Starts a worker in the background that works until no run is open, with its log in the server's folder. */
async function spawnWorker(queue: string, concurrency: number): Promise<string> {
  const folder = serverFolder();
  await ownFolder(folder);
  const logPath = join(folder, 'worker.log');
  const log = openSync(logPath, 'a');
  const child = spawn(
    process.execPath,
    [
      process.argv[1] as string,
      'worker',
      '--until-idle',
      '--task-queue',
      queue,
      '--max-concurrent-calls',
      String(callSlots(concurrency)),
    ],
    { detached: true, stdio: ['ignore', log, log] },
  );
  child.unref();
  return logPath;
}

/** An experiment to start. */
interface Detached {
  concurrency: number;
  /** Starts the experiment; `notes` are further sentences to print. */
  start(client: Client, queue: string): Promise<{ id: string; how: string; notes: readonly string[] }>;
}

/** Starts an experiment and returns; a worker in the background runs it, unless a server with workers is configured. */
export async function leaveToWorkers({ concurrency, start }: Detached, json: boolean): Promise<number> {
  const say = (message: string) => void (json || sayText(message));
  const server = await resolveServer({ start: true, say });
  const client = await connectClient(server);
  try {
    const queue = await commandQueue(server);
    const { id, how, notes } = await start(client, queue);
    const workerLog = server.embedded ? await spawnWorker(queue, concurrency) : null;
    if (json) {
      printJson({ id, how, address: server.address, ui: server.uiUrl, notes }, 0);
      return EXIT.done;
    }
    say([`${id} runs in the background on ${server.address}.`, ...notes].join('\n'));
    if (server.uiUrl !== null) say(`Temporal UI: ${server.uiUrl}`);
    if (workerLog === null) say(`It needs a worker on the queue ${queue}: npx reprise worker`);
    else say(`The worker's log: ${workerLog}`);
    say(`Look at it with: npx reprise status ${id}\nEnd it with:      npx reprise stop ${id}`);
    return EXIT.done;
  } finally {
    await client.connection.close();
    // The worker in the background registers its own use of the server as soon as it has started.
    if (!server.embedded) await server.release();
  }
}
