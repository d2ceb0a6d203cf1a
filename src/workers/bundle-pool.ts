import { MessageChannel, SHARE_ENV } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  type BundleCode,
  type CodeLimits,
  localBundleCode,
  type StoredRow,
} from '../activities/agent-eval/bundle-code.js';
import { BundleFiles } from '../activities/agent-eval/bundle-files.js';
import { checkModules } from '../bundles/bundle-modules.js';
import { RewardError } from '../bundles/reward.js';
import { InvalidInputError } from '../config/errors.js';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { BundleTask, TaskAnswer, TaskBegun, TaskFailure } from './bundle-thread.js';
import { threadModule } from './thread-module.js';

const THREADS = 2;
/** Tools that wait for something outside leave their thread to others meanwhile. */
const TASKS_A_THREAD = 64;
const THREAD_MEGABYTES = 1024;
/** Of what is new: a call's garbage is small, and what a thread sets aside for it stays. */
const YOUNG_MEGABYTES = 12;
/** What the pool says of tasks whose thread was ended for the sake of another one. */
const ENDED_FOR_ANOTHER = 'Terminating worker thread';

export interface BundlePoolOptions {
  /** Milliseconds beyond a task's time after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** The module that a thread runs, as bundle-thread.ts is one. */
  thread?: URL;
}

type Asked = BundleTask extends infer Task
  ? Task extends { id: number }
    ? Omit<Task, 'id' | 'cancel'>
    : never
  : never;

interface Running {
  asked: Asked;
  end: AbortController;
  /** Id of the thread that it was given to; null while it is in the queue. */
  thread: number | null;
  /** Of its end, from its beginning on. */
  timer: NodeJS.Timeout | null;
}

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;
type PoolTask = Parameters<LoadBalancer>[0];
type Thread = Parameters<LoadBalancer>[1][number];

/**
 * Runs the code of bundles in threads: a tool or a reward that computes without end, takes all memory or ends its process
 * costs a thread, which is replaced, and never the worker. Code that waits ends by itself when its time is over; a thread
 * that cannot even do that is ended a little later. What else was running in it is run again.
 */
export class BundlePool {
  private readonly grace: number;
  private readonly thread: URL;
  private readonly running = new Map<number, Running>();
  private pool: Piscina | undefined;
  private closed = false;
  private tasks = 0;
  private evaluations = 0;

  constructor({ grace = 5000, thread }: BundlePoolOptions = {}) {
    this.grace = grace;
    this.thread = thread ?? new URL('./bundle-thread.js', import.meta.url);
  }

  /** For one evaluation. What its modules offer is read in this thread; what they do is done in others. */
  code(): BundleCode {
    const evaluation = String(this.evaluations++);
    const { tools } = localBundleCode(new BundleFiles());
    // What is allowed is known in this thread alone.
    const check = ({ row, folder }: StoredRow) => checkModules(row, folder);
    return {
      tools,
      call: async (stored, asked, { timeoutMs, signal }) => {
        check(stored);
        const answer = await this.run({ kind: 'call', evaluation, stored, asked, timeoutMs }, signal);
        return (answer as Extract<TaskAnswer, { ran: unknown }>).ran;
      },
      judge: async (stored, asked, { timeoutMs, signal }) => {
        check(stored);
        const answer = await this.run({ kind: 'judge', evaluation, stored, asked, timeoutMs }, signal);
        return (answer as Extract<TaskAnswer, { judged: unknown }>).judged;
      },
    };
  }

  /** Ends all threads; what is asked afterwards is refused. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool?.destroy();
  }

  /** @throws what the code has thrown; InfrastructureError where its thread came to an end. */
  private async run(asked: Asked, signal: CodeLimits['signal']): Promise<TaskAnswer> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.closed) throw new InfrastructureError('the worker ends, and runs no code of bundles any more');
      const answer = await this.attempt(asked, signal);
      if (answer === ENDED_FOR_ANOTHER) continue;
      if ('failure' in answer) throw errorOf(answer.failure, signal);
      return answer;
    }
  }

  private async attempt(
    asked: Asked,
    signal: CodeLimits['signal'],
  ): Promise<TaskAnswer | typeof ENDED_FOR_ANOTHER> {
    const id = this.tasks++;
    const running: Running = { asked, end: new AbortController(), thread: null, timer: null };
    const { signal: ended } = running.end;
    const { port1: cancel, port2 } = new MessageChannel();
    const stop = () => cancel.postMessage('stop');
    signal?.addEventListener('abort', stop);
    this.running.set(id, running);
    try {
      this.pool ??= this.start();
      // A symbol's value stays in this thread, where the balancer finds it.
      const task = { ...asked, id, cancel: port2, [Piscina.queueOptionsSymbol]: running };
      return (await this.pool.run(task, { signal: ended, transferList: [port2] })) as TaskAnswer;
    } catch (error) {
      if (ended.aborted) throw ended.reason;
      const { message } = error as Error;
      if (message === ENDED_FOR_ANOTHER) return ENDED_FOR_ANOTHER;
      // It may have been the code of another row that ran beside it.
      throw new InfrastructureError(
        `the thread that ran the code of ${asked.stored.row.id} ended: ${message}`,
      );
    } finally {
      signal?.removeEventListener('abort', stop);
      cancel.close();
      clearTimeout(running.timer ?? undefined);
      this.running.delete(id);
    }
  }

  /** Ends the thread of a task that does not come to an end by itself. */
  private watch(id: number | undefined): void {
    const task = id === undefined ? undefined : this.running.get(id);
    if (task === undefined || task.timer !== null) return;
    const { asked, end } = task;
    // A busy event loop hears of its timers before it hears of an answer that came in time.
    const late = () => setImmediate(() => end.abort(stuck(asked)));
    task.timer = setTimeout(late, asked.timeoutMs + this.grace);
  }

  /**
   * The thread with the least to do. A thread begins at once what it is given, unless it computes, so one that has not begun
   * its last task comes after all others.
   * @returns null where none has room
   */
  private choose(task: PoolTask, threads: readonly Thread[]): Thread | null {
    const { [Piscina.queueOptionsSymbol]: running } = task as unknown as Record<symbol, Running>;
    const tasks = [...this.running.values()];
    const waiting = ({ id }: Thread) => tasks.filter(({ thread, timer }) => thread === id && !timer).length;
    const [best] = threads
      .filter((thread) => tasksIn(thread) < TASKS_A_THREAD)
      .sort((left, right) => waiting(left) - waiting(right) || tasksIn(left) - tasksIn(right));
    if (best === undefined || running === undefined) return null;
    running.thread = best.id;
    return best;
  }

  private start(): Piscina {
    const pool = new Piscina({
      ...threadModule(this.thread),
      // All of them from the first task on: where one was ended, the pool starts another only up to the least number.
      minThreads: THREADS,
      maxThreads: THREADS,
      concurrentTasksPerWorker: TASKS_A_THREAD,
      // Its own choice leaves a thread alone with a task that can be ended.
      loadBalancer: (task, threads) => this.choose(task, threads),
      // A thread between two tasks goes on hearing of what its modules wait for.
      atomics: 'disabled',
      env: SHARE_ENV as never,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    // Any code in a thread can send messages.
    pool.on('message', (message: Partial<TaskBegun> | null | undefined) => this.watch(message?.begun));
    pool.on('error', (error: Error) => {
      // One that came to its end between two tasks is replaced.
      if (pool.threads.length > 0) return;
      // None could be started: what waits for one would wait for ever.
      for (const { end } of this.running.values()) {
        end.abort(new InfrastructureError(`no thread for bundles: ${error.message}`));
      }
    });
    return pool;
  }
}

/** piscina says of a thread with a single task that can be ended that it has no room at all. */
function tasksIn({ isRunningAbortableTask, currentUsage }: Thread): number {
  return isRunningAbortableTask ? 1 : currentUsage;
}

function stuck({ kind, stored, asked, timeoutMs }: Asked): InfrastructureError {
  const what = kind === 'call' ? `the tool ${asked.call.name}` : 'the reward';
  return new InfrastructureError(
    `${what} of ${stored.row.id} computed for longer than ${timeoutMs / 1000} s without a pause; its thread was ended`,
  );
}

function errorOf({ kind, message, stack }: TaskFailure, signal: CodeLimits['signal']): unknown {
  if (kind === 'cancelled' && signal?.aborted) return signal.reason;
  if (kind === 'reward') return new RewardError(message);
  if (kind === 'input') return new InvalidInputError(message, 'datasets');
  if (kind !== 'other') return new InfrastructureError(message);
  return Object.assign(new Error(message), { stack });
}
