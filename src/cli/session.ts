import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { RunConfig } from '../config/schema.js';
import { DEFAULT_TASK_QUEUE } from '../contracts/names.js';
import type { AgentSource } from '../workers/bundle.js';
import { connectClient, connectWorker, resolveServer, type Server } from '../workers/connection.js';
import {
  createWorker,
  DEFAULT_CONCURRENT_CALLS,
  installRuntime,
  type RepriseWorker,
} from '../workers/worker.js';
import { processLogger } from './logger.js';
import { seldom } from './seldom.js';

export interface SessionOptions {
  /** Hears of the server. */
  say: (message: string) => void;
  /** Hears what keeps an experiment waiting, and which workflow it is; by default it is said, whichever it is. */
  hear?: (message: string, workflow: string | null) => void;
  /** Whether log lines about a workflow are wanted; by default about every one. */
  isOwn?: (workflow: string) => boolean;
  taskQueue?: string;
  agents?: readonly AgentSource[];
  maxConcurrentCalls?: number;
  logLevel?: string;
}

/** A server, a client and a worker in this process. */
export interface Session {
  server: Server;
  client: Client;
  worker: RepriseWorker;
  /** Settles when the worker ends; rejects where it broke. */
  working: Promise<void>;
  /** Lets activities in flight finish, then gives up worker and server. */
  close(): Promise<void>;
}

export function taskQueueName(given?: string): string {
  return given ?? process.env.REPRISE_TASK_QUEUE ?? DEFAULT_TASK_QUEUE;
}

/** The user's agent that a config names, for the worker's bundle. */
export function agentSources(config: RunConfig): AgentSource[] {
  if (!('file' in config.agent)) return [];
  const { type, file, class_name } = config.agent;
  return [{ type, file: file as string, className: (class_name as string | undefined) ?? null }];
}

/** Enough slots for every lane of a run. */
export function callSlots(concurrency: number): number {
  return Math.max(DEFAULT_CONCURRENT_CALLS, concurrency);
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const logger = processLogger(options.logLevel ?? 'error');
  installRuntime(logger, options.isOwn);
  const server = await resolveServer({ start: true, say: options.say });
  let connection: NativeConnection | undefined;
  let client: Client | undefined;
  try {
    const ownClient = await connectClient(server);
    client = ownClient;
    connection = await connectWorker(server);
    const worker = await createWorker({
      connection,
      client: ownClient,
      namespace: server.namespace,
      embedded: server.embedded,
      taskQueue: taskQueueName(options.taskQueue),
      logger,
      notify: options.hear ?? seldom(options.say),
      ...(options.agents === undefined ? {} : { agents: options.agents }),
      ...(options.maxConcurrentCalls === undefined ? {} : { maxConcurrentCalls: options.maxConcurrentCalls }),
    });
    const ended = worker.run();
    ended.catch(() => undefined);
    const working = Promise.race([ended, server.lost]);
    working.catch(() => undefined);
    const openConnection = connection;
    const close = async () => {
      worker.shutdown();
      await ended.catch(() => undefined);
      await openConnection.close();
      await ownClient.connection.close();
      await server.release();
    };
    return { server, client: ownClient, worker, working, close };
  } catch (error) {
    await client?.connection.close();
    await connection?.close();
    await server.release();
    throw error;
  }
}
