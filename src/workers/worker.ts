import { asyncLocalStorage } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { IllegalStateError } from '@temporalio/common';
import {
  type NativeConnection,
  Runtime,
  type RuntimeOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities/index.js';
import { RunLogs } from '../activities/run-log.js';
import { UnreachableNotices } from '../activities/unreachable-notices.js';
import { InvalidInputError } from '../config/errors.js';
import { SEARCH_ATTRIBUTES, STARTS_UPDATE } from '../contracts/names.js';
import { activitiesOfKinds } from '../kinds/registry.js';
import { openStore } from '../storage/open.js';
import { processIdentity } from '../storage/process-identity.js';
import { CodePool } from '../user-code/code-pool.js';
import { KeptCode } from '../user-code/kept-code.js';
import { workflowBundle } from './bundle.js';
import { GradingPool } from './grading-pool.js';
import { dataConverter } from './payload-storage.js';
import { allowedBy, KeptPermissions, namespaceIdOf } from './permissions.js';
import { createRunUnits } from './run-units.js';
import { concurrentExecutions, Sandboxes } from './sandboxes.js';
import { StateFolder, stateFolder } from './state-folder.js';
import { VERSION } from './version.js';
import { withOwnThread } from './workflow-threads.js';

/** Time that activities in flight have to finish when the worker is stopped; after that they run elsewhere. */
const SHUTDOWN_GRACE = '10s';
const SHUTDOWN_FORCE = '20s';
/**
 * Maximum elapsed time of one workflow task. The SDK's five seconds may run out within a task if a process was stopped
 * for a moment: the task fails then, or Node aborts the whole process (nodejs/node#38503). The limit exists for an
 * endless loop in an agent, which blocks the other workflows of the worker for this long.
 */
const LONGEST_TASK = '1m';
/** Time after which a dead worker's workflows are taken over by another one. */
const STICKY_TIMEOUT = '3s';

export interface RepriseWorkerOptions {
  connection: NativeConnection;
  client: Client;
  namespace: string;
  taskQueue: string;
  logger: Logger;
  /** Called with what keeps runs waiting, for people; see `WorkerDependencies`. `workflow`: the waiting one, if any. */
  notify?: (message: string, workflow: string | null) => void;
  /** True for a worker of the embedded server: models are requested only at servers that a person has named here. */
  embedded?: boolean;
  /** Maximum LM calls in flight, for each model. */
  maxConcurrentCalls?: number;
  environment?: NodeJS.ProcessEnv;
}

export const DEFAULT_CONCURRENT_CALLS = 500;

/** Worker with all its dependencies; `run` resolves after `shutdown`. */
export interface RepriseWorker {
  taskQueue: string;
  /** Works on another queue as well, until `shutdown`. */
  serve(taskQueue: string): Promise<void>;
  run(): Promise<void>;
  shutdown(): void;
}

async function knownSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(SEARCH_ATTRIBUTES).filter((name) => customAttributes?.[name] !== undefined);
  } catch {
    // Not every server permits a worker this query; search attributes are optional.
    return [];
  }
}

/** Returns the workflow of the current activity; null outside of one. */
function workflowInContext(): string | null {
  return asyncLocalStorage.getStore()?.info.workflowExecution?.workflowId ?? null;
}

/** Default number of workflows in memory; a run there takes about 1 MB. */
const DEFAULT_CACHED = 200;

/**
 * Returns the number of workflows that a worker keeps in memory; others are replayed from their history at each task.
 * @throws InvalidInputError
 */
export function cachedWorkflows(environment: NodeJS.ProcessEnv): number {
  const given = environment.REPRISE_CACHED_WORKFLOWS;
  if (!given) return DEFAULT_CACHED;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidInputError(`REPRISE_CACHED_WORKFLOWS=${given}: must be a whole number of at least 0`);
}

/** Workflow that grants the starts of a model's requests. */
const RATE_WORKFLOW = 'rate';

/**
 * Requests grants of starts to a model from the server, so that its rate holds across all workers.
 * @param model its name and address: two servers may use the same name for different models.
 * @returns a function that requests a number of starts and resolves to the milliseconds until the first; the others
 * follow evenly.
 */
function serverRate(
  { workflow }: Pick<Client, 'workflow'>,
  taskQueue: string,
): (model: string, requestsPerSecond: number) => (count: number) => Promise<number> {
  return (model, requests_per_second) => {
    const workflowId = `${taskQueue}.rate.${model.replace(/[^A-Za-z0-9._-]+/g, '-')}.${requests_per_second}`;
    const grant = (count: number): Promise<number> =>
      workflow.getHandle(workflowId).executeUpdate<number, [number]>(STARTS_UPDATE, { args: [count] });
    return async (count) => {
      try {
        return await grant(count);
      } catch (error) {
        // There is no such workflow yet, or it ended because it was idle.
        if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError))
          throw error;
      }
      await workflow.start(RATE_WORKFLOW, {
        workflowId,
        taskQueue,
        args: [{ model, requests_per_second }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `${model} · ${requests_per_second} requests a second`,
      });
      return grant(count);
    };
  };
}

/** Creates a worker with its connection, its queues, and the activities with their adapters. */
export async function createWorker(options: RepriseWorkerOptions): Promise<RepriseWorker> {
  const { connection, client, namespace, logger, environment = process.env } = options;
  const maxConcurrentCalls = options.maxConcurrentCalls ?? DEFAULT_CONCURRENT_CALLS;
  const { taskQueue } = options;
  const grading = new GradingPool();
  const codePool = new CodePool();
  const runLogs = new RunLogs();
  const notify = (message: string) => options.notify?.(message, workflowInContext());
  const sandboxes = new Sandboxes(environment, notify);
  const ownNamespace = await namespaceIdOf(client);
  let isStopping = false;
  const activities = createActivities(
    {
      permissions: new KeptPermissions(
        allowedBy(environment, options.embedded ?? true),
        new StateFolder(stateFolder(environment), ownNamespace),
      ),
      openStore: (address) => openStore(address, { environment }),
      environment,
      compareSymbolically: grading.compare,
      keptCode: new KeptCode(stateFolder(environment)),
      userCode: { pool: codePool, compare: grading.compare },
      logger,
      notify,
      notices: new UnreachableNotices(logger),
      runLogs,
      sandbox: sandboxes.get,
      maxConcurrentExecutions: concurrentExecutions(environment),
      maxConcurrentCalls,
      runsUnits: true,
      isStopping: () => isStopping,
      namespaceId: async () => ownNamespace,
      knownSearchAttributes: () => knownSearchAttributes(client, namespace),
      grantStarts: serverRate(client, taskQueue),
    },
    await activitiesOfKinds(),
  );
  const everything = {
    ...activities,
    ...createRunUnits(activities, { notify, isStopping: () => isStopping }),
  };
  const common: Partial<WorkerOptions> = {
    connection,
    namespace,
    activities: everything,
    dataConverter: dataConverter(environment),
    // By default a hash of 64 characters, which would be part of every third event of a history.
    buildId: `reprise@${VERSION}`,
    // Tells whether its process lives; see dead-workers.ts.
    identity: processIdentity(),
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    maxConcurrentActivityTaskExecutions: maxConcurrentCalls + 20,
  };
  // An option of the SDK that its types omit; `frozen-worker.test.ts` detects if it is removed.
  const workflowWorker: Omit<WorkerOptions, 'taskQueue'> & { isolateExecutionTimeout: string } = {
    ...common,
    workflowBundle: await workflowBundle(),
    maxCachedWorkflows: cachedWorkflows(environment),
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    isolateExecutionTimeout: LONGEST_TASK,
    // Activities of a workflow task start in this worker at once, without the queue.
    maxEagerActivityReservationsPerWorkflowTask: maxConcurrentCalls,
  };
  const workers: Worker[] = [];
  const ends: Promise<void>[] = [];
  let isRunning = false;
  const shutdown = () => {
    isStopping = true;
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const begin = (worker: Worker) => {
    const end = worker.run();
    // If one worker fails, the others end with it.
    end.catch(shutdown);
    ends.push(end);
  };
  const serve = async (queue: string) => {
    const create = () => Worker.create({ ...workflowWorker, taskQueue: queue });
    // Complete stacks are for debugging a workflow.
    const worker = await (environment.REPRISE_STACK_TRACES === '1' ? create() : withOwnThread(create));
    workers.push(worker);
    if (isRunning) begin(worker);
  };
  await serve(taskQueue);
  return {
    taskQueue,
    serve,
    run: async () => {
      isRunning = true;
      for (const worker of workers) begin(worker);
      try {
        // Another one may have begun meanwhile.
        for (let index = 0; index < ends.length; index++) await ends[index];
      } finally {
        await runLogs.flush();
        await sandboxes.close();
        await grading.close();
        await codePool.close();
      }
    },
    shutdown,
  };
}

/**
 * Sends the SDK's log lines to this logger, before any connection. A runtime that the process already has, such as that
 * of a program which uses the SDK itself, stays as it is.
 * @param isWanted reports whether lines about a workflow are logged; by default all are
 */
export function installRuntime(logger: Logger, isWanted: (workflow: string) => boolean = () => true): void {
  const forward =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta?: { error?: unknown; workflowId?: unknown }): void => {
      const { error, ...rest } = meta ?? {};
      if (typeof rest.workflowId === 'string' && !isWanted(rest.workflowId)) return;
      logger[level]({ ...rest, ...(error === undefined ? {} : { err: error }) }, message);
    };
  const options: RuntimeOptions = {
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) =>
        forward(level === 'TRACE' ? 'debug' : (level.toLowerCase() as 'info'))(message, meta),
      trace: forward('debug'),
      debug: forward('debug'),
      info: forward('info'),
      warn: forward('warn'),
      error: forward('error'),
    },
    telemetryOptions: { logging: { forward: {}, filter: 'WARN' } },
  };
  try {
    Runtime.install(options);
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
