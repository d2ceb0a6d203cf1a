import { MessageChannel, type MessagePort, SHARE_ENV } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import { threadModule } from './thread-module.js';

const THREADS = 2;
const TASKS_A_THREAD = 64;
const THREAD_MEGABYTES = 1024;
/** Of what is new: a call's garbage is small, and what a thread sets aside for it stays. */
const YOUNG_MEGABYTES = 12;
const GRACE_MS = 5000;
/** What the pool says of tasks whose thread was ended for the sake of another one. */
const ENDED_FOR_ANOTHER = 'Terminating worker thread';

/** What every task brings along. */
export interface Timed {
  /** Milliseconds that it may take. A thread ends by itself what only waits for longer. */
  timeoutMs: number;
}

/** As a thread is given it. */
export type PooledTask<Asked extends Timed> = Asked & {
  /** Tells the tasks of a pool apart. */
  id: number;
  /** To whoever waits: `'stop'` comes from there when nobody does any more. */
  port: MessagePort;
};

/** A thread's message when it begins a task, which is when the task's time begins. */
export interface TaskBegun {
  begun: number;
}

export interface CodePoolOptions<Asked extends Timed> {
  /** The module that a thread runs; its default export takes a {@link PooledTask}, and never throws. */
  thread: URL;
  /** What runs in the threads, for messages: `bundles`. */
  what: string;
  /** 2 unless said otherwise. */
  threads?: number;
  /** 64 unless said otherwise: code that waits for something outside leaves its thread to others meanwhile. */
  tasksAThread?: number;
  /** Milliseconds beyond a task's time after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** What a task fails with whose thread had to be ended. */
  stuck(asked: Asked): Error;
  /** What a task fails with whose thread came to an end by itself, which may have been the work of one beside it. */
  ended(asked: Asked, message: string): Error;
}

export interface Waiting {
  /** Aborted when nobody waits any more. */
  signal?: AbortSignal | undefined;
  /** What comes from the task's code while it runs. */
  hear?(message: unknown): void;
}

interface Running<Asked> {
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
 * Runs code of users in threads: what computes without end, takes all memory or ends its process costs a thread, which is
 * replaced, and never the worker. Code that waits ends by itself when its time is over; a thread that cannot even do that
 * is ended a little later. What else was running in it is run again.
 */
export class CodePool<Asked extends Timed, Answer> {
  private readonly running = new Map<number, Running<Asked>>();
  private pool: Piscina | undefined;
  private closed = false;
  private tasks = 0;

  constructor(private readonly options: CodePoolOptions<Asked>) {}

  /** Ends all threads; what is asked afterwards is refused. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool?.destroy();
  }

  /** @throws what the options make of a thread's end, or the signal's reason. */
  async run(asked: Asked, waiting: Waiting = {}): Promise<Answer> {
    for (;;) {
      waiting.signal?.throwIfAborted();
      if (this.closed)
        throw new InfrastructureError(`the worker ends, and runs no code of ${this.options.what} any more`);
      const answer = await this.attempt(asked, waiting);
      if (answer !== ENDED_FOR_ANOTHER) return answer;
    }
  }

  private async attempt(asked: Asked, { signal, hear }: Waiting): Promise<Answer | typeof ENDED_FOR_ANOTHER> {
    const id = this.tasks++;
    const running: Running<Asked> = { asked, end: new AbortController(), thread: null, timer: null };
    const { signal: ended } = running.end;
    const { port1: ours, port2: port } = new MessageChannel();
    const stop = () => ours.postMessage('stop');
    signal?.addEventListener('abort', stop);
    if (hear !== undefined) ours.on('message', hear);
    this.running.set(id, running);
    try {
      this.pool ??= this.start();
      // A symbol's value stays in this thread, where the balancer finds it.
      const task = { ...asked, id, port, [Piscina.queueOptionsSymbol]: running };
      return (await this.pool.run(task, { signal: ended, transferList: [port] })) as Answer;
    } catch (error) {
      if (ended.aborted) throw ended.reason;
      const { message } = error as Error;
      if (message === ENDED_FOR_ANOTHER) return ENDED_FOR_ANOTHER;
      throw this.options.ended(asked, message);
    } finally {
      signal?.removeEventListener('abort', stop);
      ours.close();
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
    const late = () => setImmediate(() => end.abort(this.options.stuck(asked)));
    task.timer = setTimeout(late, asked.timeoutMs + (this.options.grace ?? GRACE_MS));
  }

  /**
   * The thread with the least to do. A thread begins at once what it is given, unless it computes, so one that has not begun
   * its last task comes after all others.
   * @returns null where none has room
   */
  private choose(task: PoolTask, threads: readonly Thread[]): Thread | null {
    const { [Piscina.queueOptionsSymbol]: running } = task as unknown as Record<symbol, Running<Asked>>;
    const tasks = [...this.running.values()];
    const waiting = ({ id }: Thread) => tasks.filter(({ thread, timer }) => thread === id && !timer).length;
    const [best] = threads
      .filter((thread) => tasksIn(thread) < this.tasksAThread)
      .sort((left, right) => waiting(left) - waiting(right) || tasksIn(left) - tasksIn(right));
    if (best === undefined || running === undefined) return null;
    running.thread = best.id;
    return best;
  }

  private get tasksAThread(): number {
    return this.options.tasksAThread ?? TASKS_A_THREAD;
  }

  private start(): Piscina {
    const { thread, threads = THREADS, what } = this.options;
    const pool = new Piscina({
      ...threadModule(thread),
      // All of them from the first task on: where one was ended, the pool starts another only up to the least number.
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: this.tasksAThread,
      // Its own choice leaves a thread alone with a task that can be ended.
      loadBalancer: (task, among) => this.choose(task, among),
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
        end.abort(new InfrastructureError(`no thread for ${what}: ${error.message}`));
      }
    });
    return pool;
  }
}

/** piscina says of a thread with a single task that can be ended that it has no room at all. */
function tasksIn({ isRunningAbortableTask, currentUsage }: Thread): number {
  return isRunningAbortableTask ? 1 : currentUsage;
}
