import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { DEFAULT_TASK_QUEUE } from '../contracts/names.js';
import { connectClient, connectWorker, resolveServer, type Server } from '../workers/connection.js';
import { takeFromDeadWorkers } from '../workers/dead-workers.js';
import { keyQueue, noteQueues, otherOn } from '../workers/key-queue.js';
import { namespaceIdOf } from '../workers/permissions.js';
import {
  createWorker,
  DEFAULT_CONCURRENT_CALLS,
  installRuntime,
  type RepriseWorker,
} from '../workers/worker.js';
import { processLogger } from './process-logger.js';
import { seldom } from './seldom.js';

/** Milliseconds between two checks whether another process still works on an experiment. */
const LOOK_AFTER = 2000;

export interface SessionOptions {
  /** Receiver of messages about the server. */
  say: (message: string) => void;
  /** Receiver of the reasons why an experiment waits, with the workflow; by default all are printed. */
  received?: (message: string, workflow: string | null) => void;
  /** Reports whether log lines about a workflow are logged; by default all are. */
  isOwn?: (workflow: string) => boolean;
  taskQueue?: string;
  /** True to work on experiments that were started without a command, too. */
  forAnybody?: boolean;
  maxConcurrentCalls?: number;
  logLevel?: string;
  /** Environment that names the Temporal server; the process's by default. */
  environment?: NodeJS.ProcessEnv;
}

export interface Session {
  server: Server;
  client: Client;
  worker: RepriseWorker;
  /** Queue of experiments that were started without a command, where it is served; else the worker's own. */
  queue: string;
  /** Promise that settles when the worker ends, and rejects where it failed. */
  working: Promise<void>;
  /**
   * Works on an experiment. One that was started with other keys has another queue, which is served once no other
   * process does: until then its models are called with the other keys.
   * @param say receives messages about the other process
   */
  workOn(handle: WorkflowHandle, say: (message: string) => void): Promise<void>;
  /** Lets activities in flight finish, then closes worker and server. */
  close(): Promise<void>;
}

/** Returns the task queue of experiments where no other is named. */
export function taskQueueName(given?: string): string {
  return given ?? process.env.REPRISE_TASK_QUEUE ?? DEFAULT_TASK_QUEUE;
}

/** Returns the queue of a command's experiments: on the embedded server, workers with other keys do not share it. */
export async function commandQueue({ folder }: Pick<Server, 'folder'>): Promise<string> {
  return folder === null ? taskQueueName() : keyQueue(taskQueueName(), folder);
}

/** Returns enough slots for every lane of a run. */
export function callSlots(concurrency: number): number {
  return Math.max(DEFAULT_CONCURRENT_CALLS, concurrency);
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const logger = processLogger(options.logLevel ?? 'error');
  installRuntime(logger, options.isOwn);
  const { environment = process.env } = options;
  const server = await resolveServer({ start: true, say: options.say, environment });
  let connection: NativeConnection | undefined;
  let client: Client | undefined;
  try {
    const ownClient = await connectClient(server);
    client = ownClient;
    connection = await connectWorker(server);
    const taskQueue = options.taskQueue ?? (await commandQueue(server));
    const anybodys = taskQueueName();
    const isForAnybody = options.forAnybody === true && options.taskQueue === undefined;
    const queuesToServe = new Set([taskQueue, ...(isForAnybody ? [anybodys] : [])]);
    const place = {
      client: ownClient,
      namespace: server.namespace,
      namespaceId: await namespaceIdOf(ownClient),
    };
    for (const queue of queuesToServe) {
      // Whatever goes wrong here, the server notices after ten seconds.
      await takeFromDeadWorkers({ ...place, taskQueue: queue }).catch((err: unknown) =>
        logger.warn({ err }, 'what dead workers were working on was not taken from them'),
      );
    }
    const workerOptions = {
      connection,
      client: ownClient,
      namespace: server.namespace,
      embedded: server.embedded,
      taskQueue,
      logger,
      notify: options.received ?? seldom(options.say),
      ...(options.maxConcurrentCalls === undefined ? {} : { maxConcurrentCalls: options.maxConcurrentCalls }),
    };
    const worker = await createWorker(workerOptions);
    const queues = [worker.taskQueue];
    if (isForAnybody && anybodys !== worker.taskQueue) {
      await worker.serve(anybodys);
      queues.push(anybodys);
    }
    const { folder } = server;
    const note = randomBytes(3).toString('hex');
    let forget = folder === null ? null : await noteQueues(folder, note, queues);
    const ended = worker.run();
    const working = Promise.race([ended, server.lost]);
    working.catch(() => undefined);
    const openConnection = connection;
    const closed = new AbortController();
    const takeOver = async (queue: string, say: (message: string) => void) => {
      if (folder === null) return;
      for (let told = false; !closed.signal.aborted; told = true) {
        const other = await otherOn(folder, queue);
        if (other === null) {
          forget = await noteQueues(folder, note, [...queues, queue]);
          return worker.serve(queue);
        }
        if (!told) {
          say(
            `Process ${other} works on it, with the keys of the command that began it. This one watches, and continues with it should that one end.`,
          );
        }
        await sleep(LOOK_AFTER, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    };
    const workOn = async (handle: WorkflowHandle, say: (message: string) => void) => {
      const { taskQueue } = await handle.describe();
      if (taskQueue === worker.taskQueue) return;
      takeOver(taskQueue, say).catch(({ message }: Error) => say(message));
    };
    const close = async () => {
      closed.abort();
      worker.shutdown();
      await ended.catch(() => undefined);
      await forget?.();
      await openConnection.close();
      await ownClient.connection.close();
      await server.release();
    };
    const queue = isForAnybody ? anybodys : worker.taskQueue;
    return { server, client: ownClient, worker, queue, working, workOn, close };
  } catch (error) {
    await client?.connection.close();
    await connection?.close();
    await server.release();
    throw error;
  }
}
