import { MessageChannel, receiveMessageOnPort, SHARE_ENV } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { SymbolicComparer } from '../grading/grade.js';
import { logSink } from './log.js';
import { packError, unpackError } from './packed-error.js';
import type { Answer, Begun, Comparison, Logged, Task } from './thread.js';
import type { ThreadWork } from './thread-work.js';

const THREADS = 2;
/** Maximum tasks in one thread: code that waits for a service leaves the thread to others. */
const TASKS_A_THREAD = 512;
const THREAD_MEGABYTES = 1024;
/** Megabytes of the young generation: calls create little garbage, and the space is kept. */
const YOUNG_MEGABYTES = 12;
const GRACE_MS = 5000;

/** A user's code that did not finish, though it had a thread to itself or was waiting. */
export class CodeEndedError extends Error {
  override readonly name = 'CodeEnded';

  /** @param how whether it computed or waited too long, used up the memory, or ended its thread */
  constructor(
    readonly how: 'computed' | 'waited' | 'memory' | 'ended',
    message: string,
  ) {
    super(message);
  }

  get isLate(): boolean {
    return this.how === 'computed' || this.how === 'waited';
  }

  /** Reason to refuse a file whose loading ended a thread. */
  get trialFault(): string {
    return `ended the thread that it was tried in: ${this.message}`;
  }
}

export interface CodeLimits {
  /** Time limit in milliseconds. */
  timeoutMs: number;
  /** Aborted when the result is not needed any more. */
  signal?: AbortSignal | undefined;
}

interface TaskOptions extends CodeLimits {
  /** True if the task has a thread to itself from the beginning. */
  alone?: boolean;
  /** Comparer of expressions for the code in the thread. */
  compare?: SymbolicComparer;
}

export interface CodePoolOptions {
  /** Milliseconds after a task's time limit until its thread is taken for stuck: 5000. */
  grace?: number;
  /** Megabytes of memory of a thread: 1024. */
  megabytes?: number;
  /** The module that a thread runs; thread.ts is the default. */
  thread?: URL;
}

interface Running {
  timeoutMs: number;
  /** Id of the thread that has begun the task. */
  thread: number | null;
  timer: NodeJS.Timeout | undefined;
  isStuck: boolean;
  fail(error: Error): void;
}

/** Loss of a task's thread before the task ended. */
interface Lost {
  lost: CodeEndedError;
  /** True if the task may be the cause; other tasks were in the same thread. */
  isSuspect: boolean;
}

/** Returns options of a pool whose threads run a module. For the CommonJS module in between see thread-loader.cjs. */
export function threadModule(thread: URL): { filename: string; workerData: { thread: string } } {
  return {
    filename: new URL('./thread-loader.cjs', import.meta.url).href,
    workerData: { thread: thread.href },
  };
}

/**
 * Pool that runs users' code in threads, data in and data out: code that computes endlessly, uses up the memory or ends
 * its process costs a thread, which is replaced, but never the worker. Code that waits is ended by its own time limit;
 * a thread in which that fails is ended a little later.
 *
 * Invariant: no task fails because of another one. A task that is late in a busy thread, or loses its thread, is run
 * once more with a thread to itself, and that result counts.
 */
export class CodePool {
  private readonly together: Threads;
  private readonly alone: Threads;

  constructor(options: CodePoolOptions = {}) {
    this.together = new Threads(THREADS, TASKS_A_THREAD, options);
    this.alone = new Threads(1, 1, options);
  }

  /**
   * Runs work. @throws errors of the code, CodeEndedError, InfrastructureError without a thread, the signal's reason
   */
  async run<Input, Value>(
    work: ThreadWork<Input, Value>,
    input: Input,
    { alone = false, compare, ...limits }: TaskOptions,
  ): Promise<Value> {
    for (let isAlone = alone; ; ) {
      const answer = await (isAlone ? this.alone : this.together).run({ work, input }, limits, compare);
      if ('value' in answer) return answer.value as Value;
      if (isAlone && answer.isSuspect) throw answer.lost;
      if (answer.lost.how === 'waited') throw answer.lost;
      isAlone ||= answer.isSuspect;
    }
  }

  /** Ends all threads; later calls are refused. */
  async close(): Promise<void> {
    await Promise.all([this.together.close(), this.alone.close()]);
  }
}

/** Threads of one kind, which run from the first task on. */
class Threads {
  private readonly running = new Map<number, Running>();
  /** Tasks by thread that it has been given and not begun: it is computing. */
  private readonly unbegun = new Map<number, number>();
  /** Ids of threads that were ended for one of their tasks, not for the others. */
  private readonly stopped = new Set<number>();
  private pool: Piscina | undefined;
  private isClosed = false;
  private tasks = 0;

  constructor(
    private readonly count: number,
    private readonly tasksAThread: number,
    private readonly options: CodePoolOptions,
  ) {}

  async close(): Promise<void> {
    this.isClosed = true;
    await this.pool?.destroy();
  }

  async run(
    asked: Pick<Task, 'work' | 'input'>,
    { timeoutMs, signal }: CodeLimits,
    compare: SymbolicComparer | undefined,
  ): Promise<{ value: unknown } | Lost> {
    signal?.throwIfAborted();
    if (this.isClosed) throw new InfrastructureError('the worker ends, and runs no code of users any more');
    const id = this.tasks++;
    const { port1: ours, port2: port } = new MessageChannel();
    const stop = () => ours.postMessage('stop');
    signal?.addEventListener('abort', stop);
    const sink = logSink();
    const receive = (message: Comparison | Logged) => {
      if ('logged' in message) sink?.write(message.logged);
      else if (compare !== undefined) void answerComparison(message, compare);
    };
    if (compare !== undefined || sink !== undefined) ours.on('message', receive);
    const pool = this.threads();
    const failed = new Promise<never>((_, fail) => {
      this.running.set(id, { timeoutMs, thread: null, timer: undefined, isStuck: false, fail });
    });
    const running = this.running.get(id) as Running;
    let answer: Answer;
    try {
      const task: Task = { ...asked, id, timeoutMs, port, logLevel: sink?.level ?? null };
      answer = await Promise.race([pool.run(task, { transferList: [port] }) as Promise<Answer>, failed]);
    } catch (error) {
      return this.lossOf(running, error as NodeJS.ErrnoException);
    } finally {
      signal?.removeEventListener('abort', stop);
      // The answer comes by another way, and may be faster than the last lines.
      for (let last = receiveMessageOnPort(ours); last !== undefined; last = receiveMessageOnPort(ours))
        receive(last.message);
      ours.close();
      clearTimeout(running.timer);
      this.running.delete(id);
    }
    if ('value' in answer) return answer;
    if (signal?.aborted) throw signal.reason;
    if ('thrown' in answer) throw unpackError(answer.thrown);
    // What still runs of it must not run together with the next task.
    if (this.tasksAThread === 1) this.stop(answer.thread);
    return { lost: new CodeEndedError(answer.isBusy ? 'computed' : 'waited', 'late'), isSuspect: true };
  }

  private lossOf({ isStuck, thread }: Running, error: NodeJS.ErrnoException): Lost {
    if (error instanceof InfrastructureError) throw error;
    const how = () => {
      if (isStuck) return 'computed';
      return error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended';
    };
    const isSuspect = isStuck || (thread !== null && !this.stopped.has(thread));
    return { lost: new CodeEndedError(how(), error.message), isSuspect };
  }

  /** Starts a task's time limit when its thread begins it. The answer may arrive first: it has another channel. */
  private begin({ begun, thread }: Begun): void {
    this.unbegun.set(thread, (this.unbegun.get(thread) ?? 1) - 1);
    const running = this.running.get(begun);
    if (running === undefined || running.thread !== null) return;
    running.thread = thread;
    // A busy event loop handles timers before an answer that came in time.
    const late = () =>
      setImmediate(() => {
        if (!this.running.has(begun)) return;
        running.isStuck = true;
        this.stop(thread);
      });
    running.timer = setTimeout(late, running.timeoutMs + (this.options.grace ?? GRACE_MS));
  }

  /** Ends a thread because of one of its tasks. */
  private stop(thread: number): void {
    this.stopped.add(thread);
    void this.pool?.threads.find(({ threadId }) => threadId === thread)?.terminate();
  }

  private threads(): Piscina {
    this.pool ??= this.start();
    return this.pool;
  }

  private start(): Piscina {
    const unbegunIn = (id: number) => this.unbegun.get(id) ?? 0;
    const pool = new Piscina({
      ...threadModule(this.options.thread ?? new URL('./thread.js', import.meta.url)),
      // All threads run from the first task on: the pool replaces an ended one only up to the minimum.
      minThreads: this.count,
      maxThreads: this.count,
      concurrentTasksPerWorker: this.tasksAThread,
      // A thread begins an assigned task at once, unless it is computing.
      loadBalancer: (_task, threads) => {
        const [best] = threads
          .filter(({ currentUsage }) => currentUsage < this.tasksAThread)
          .sort(
            (left, right) =>
              unbegunIn(left.id) - unbegunIn(right.id) || left.currentUsage - right.currentUsage,
          );
        if (best !== undefined) this.unbegun.set(best.id, unbegunIn(best.id) + 1);
        return best ?? null;
      },
      // Between two tasks, a thread continues to process events of its modules.
      atomics: 'disabled',
      env: SHARE_ENV as never,
      resourceLimits: {
        maxOldGenerationSizeMb: this.options.megabytes ?? THREAD_MEGABYTES,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
      },
    });
    // Any code in a thread can send messages.
    pool.on('message', (message: Partial<Begun> | null | undefined) => {
      if (typeof message?.begun === 'number') this.begin(message as Begun);
    });
    pool.on('error', (error: Error) => {
      // A thread that ended between two tasks is replaced.
      if (pool.threads.length > 0) return;
      // No thread could be started: tasks that wait for one would wait forever.
      const none = new InfrastructureError(`no thread for code of users: ${error.message}`);
      for (const { fail } of this.running.values()) fail(none);
    });
    return pool;
  }
}

async function answerComparison({ left, right, tolerance, answer }: Comparison, compare: SymbolicComparer) {
  const compared = await compare(left, right, tolerance).then(
    (value) => ({ value }),
    (error: unknown) => ({ thrown: packError(error) }),
  );
  answer.postMessage(compared);
  answer.close();
}
