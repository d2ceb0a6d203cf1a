import { MessageChannel, type MessagePort, receiveMessageOnPort, SHARE_ENV } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { SymbolicComparer } from '../grading/grade.js';
import type { Functions } from '../runtime/offers.js';
import { logSink } from './log.js';
import { packError, unpackError } from './packed-error.js';
import { runningIn } from './stuck-thread.js';
import type { Begun, Called, Ending, FromThread, ThreadAnswer, ThreadTask, ToThread } from './thread.js';
import type { ThreadWork } from './thread-work.js';

const THREADS = 2;
/** Maximum tasks in one thread: code that waits for a service leaves the thread to others. */
const TASKS_A_THREAD = 512;
/** Threads for tasks that may wait, each with one to itself. */
const WAITING_ALONE = 8;
const THREAD_MEGABYTES = 1024;
/** Megabytes of the young generation: calls create little garbage, and the space is kept. */
const YOUNG_MEGABYTES = 12;
const GRACE_MS = 5000;
/** Milliseconds between two questions to a task that may wait, and between two looks at what threads have begun. */
const HEARD_EVERY_MS = 1000;

/** A user's code that did not finish, though it had a thread to itself or was waiting. */
export class CodeEndedError extends Error {
  override readonly name = 'CodeEnded';

  /** @param how whether it computed or waited too long, used up the memory, or ended its thread */
  constructor(
    readonly how: 'computed' | 'waited' | 'memory' | 'ended',
    message: string,
    /** Place in a file where it computed, such as `/own/agent.ts:12`; absent: unknown. */
    readonly place?: string | undefined,
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
  /** True if the limit is for computing without a pause, and the code may wait for as long as it likes. */
  mayWait?: boolean;
  /** Aborted when the result is not needed any more. */
  signal?: AbortSignal | undefined;
}

interface TaskOptions extends CodeLimits {
  /** True if the task has a thread to itself from the beginning. */
  alone?: boolean;
  /** Comparer of expressions for the code in the thread. */
  compare?: SymbolicComparer;
  /**
   * Functions that the work may call, by name: data in, data out. What they throw is thrown there as an Error of its
   * message.
   */
  offers?: Functions;
}

export interface CodePoolOptions {
  /** Milliseconds after a task's time limit, or without a task, until its thread is taken for stuck: 5000. */
  grace?: number;
  /** Megabytes of memory of a thread: 1024. */
  megabytes?: number;
  /** The module that a thread runs; thread.ts is the default. */
  thread?: URL;
}

interface Running {
  timeoutMs: number;
  mayWait: boolean;
  /** Id of the thread that has begun the task. */
  thread: number | null;
  timer: NodeJS.Timeout | undefined;
  isStuck: boolean;
  /** True if its code is known to be what ends the thread. */
  isCause: boolean;
  place?: string | undefined;
  /** Seconds for which it has not been heard. */
  unheard: number;
  fail(error: Error): void;
}

/** Tasks that a thread has been given and not begun. */
interface Given {
  unbegun: number;
  /** Seconds for which it has begun none of them; null before it has begun its first task. */
  silent: number | null;
}

/** Loss of a task's thread before the task ended. */
interface Lost {
  lost: CodeEndedError;
  /** True if the task may be the cause; other tasks were in the same thread. */
  isSuspect: boolean;
  /** True if the task is known to be the cause. */
  isCause: boolean;
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
 * once more with a thread to itself, and that result counts. A thread in which a task that may wait is not heard any
 * more is asked whose code it runs, and where.
 */
export class CodePool {
  private readonly computing: { together: Threads; alone: Threads };
  /** Threads of tasks that may wait, also for a task of the other threads. */
  private readonly waiting: { together: Threads; alone: Threads };

  constructor(options: CodePoolOptions = {}) {
    const threads = (alone: number) => ({
      together: new Threads(THREADS, TASKS_A_THREAD, options),
      alone: new Threads(alone, 1, options),
    });
    this.computing = threads(1);
    this.waiting = threads(WAITING_ALONE);
  }

  /**
   * Runs work.
   * @param input called for every attempt
   * @throws errors of the code, CodeEndedError, InfrastructureError without a thread, the signal's reason
   */
  async run<Input, Value>(
    work: ThreadWork<Input, Value>,
    input: Input | (() => Input),
    { alone = false, compare, offers, ...limits }: TaskOptions,
  ): Promise<Value> {
    const offered = compare === undefined ? offers : { compare, ...offers };
    const threads = limits.mayWait ? this.waiting : this.computing;
    for (let isAlone = alone; ; ) {
      const given = typeof input === 'function' ? (input as () => Input)() : input;
      const answer = await (isAlone ? threads.alone : threads.together).run(
        { work, input: given },
        limits,
        offered,
      );
      if ('value' in answer) return answer.value as Value;
      if ((isAlone && answer.isSuspect) || answer.isCause) throw answer.lost;
      if (answer.lost.how === 'waited') throw answer.lost;
      isAlone ||= answer.isSuspect;
    }
  }

  /** Ends all threads; later calls are refused. */
  async close(): Promise<void> {
    const all = [this.computing, this.waiting].flatMap(({ together, alone }) => [together, alone]);
    await Promise.all(all.map((threads) => threads.close()));
  }
}

/** Threads of one kind, which run from the first task on. */
class Threads {
  private readonly running = new Map<number, Running>();
  /** By thread, what it has been given and not begun: it is computing. */
  private readonly given = new Map<number, Given>();
  /** Ids of threads that were ended for one of their tasks, not for the others. */
  private readonly stopped = new Set<number>();
  /** Searches for what threads run, by their ids. A thread that is ended meanwhile would go on for ever. */
  private readonly searches = new Map<number, Promise<void>>();
  private pool: Piscina | undefined;
  private watch: NodeJS.Timeout | undefined;
  private isClosed = false;
  private tasks = 0;

  constructor(
    private readonly count: number,
    private readonly tasksAThread: number,
    private readonly options: CodePoolOptions,
  ) {}

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.watch);
    await Promise.all(this.searches.values());
    await this.pool?.destroy();
  }

  async run(
    asked: Pick<ThreadTask, 'work' | 'input'>,
    { timeoutMs, mayWait = false, signal }: CodeLimits,
    offers: Functions | undefined,
  ): Promise<{ value: unknown } | Lost> {
    signal?.throwIfAborted();
    if (this.isClosed) throw new InfrastructureError('the worker ends, and runs no code of users any more');
    const id = this.tasks++;
    const { port1: ours, port2: port } = new MessageChannel();
    const stop = () => ours.postMessage('stop' satisfies ToThread);
    signal?.addEventListener('abort', stop);
    const sink = logSink();
    const pool = this.threads();
    const failed = new Promise<never>((_, fail) => {
      const begun = { thread: null, timer: undefined, isStuck: false, isCause: false, unheard: 0 };
      this.running.set(id, { timeoutMs, mayWait, ...begun, fail });
    });
    const running = this.running.get(id) as Running;
    const receive = (message: FromThread) => {
      running.unheard = 0;
      if ('logged' in message) sink?.write(message.logged);
      else if ('called' in message && offers !== undefined) void answer(message, offers, ours);
    };
    if (offers !== undefined || sink !== undefined || mayWait) ours.on('message', receive);
    const hearing = mayWait ? setInterval(() => this.hear(id, ours), HEARD_EVERY_MS) : undefined;
    let ended: ThreadAnswer;
    try {
      const task: ThreadTask = { ...asked, id, timeoutMs, mayWait, port, logLevel: sink?.level ?? null };
      ended = await Promise.race([pool.run(task, { transferList: [port] }) as Promise<ThreadAnswer>, failed]);
    } catch (error) {
      return this.lossOf(running, error as NodeJS.ErrnoException);
    } finally {
      signal?.removeEventListener('abort', stop);
      // The answer comes by another way, and may be faster than the last lines.
      for (let last = receiveMessageOnPort(ours); last !== undefined; last = receiveMessageOnPort(ours))
        receive(last.message);
      ours.close();
      clearTimeout(running.timer);
      clearInterval(hearing);
      this.running.delete(id);
    }
    if ('value' in ended) return ended;
    if (signal?.aborted) throw signal.reason;
    if ('thrown' in ended) throw unpackError(ended.thrown);
    // What still runs of it must not run together with the next task.
    if (this.tasksAThread === 1) this.stop(ended.thread);
    return {
      lost: new CodeEndedError(ended.isBusy ? 'computed' : 'waited', 'late'),
      isSuspect: true,
      isCause: false,
    };
  }

  private lossOf({ isStuck, isCause, place, thread }: Running, error: NodeJS.ErrnoException): Lost {
    if (error instanceof InfrastructureError) throw error;
    const how = () => {
      if (isStuck) return 'computed';
      return error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended';
    };
    const isSuspect = isStuck || isCause || (thread !== null && !this.stopped.has(thread));
    return { lost: new CodeEndedError(how(), error.message, place), isSuspect, isCause };
  }

  /**
   * Asks a task for a sign, each second. One that has given none for as long as it may compute has a thread that runs
   * without a pause: the task whose code runs there is the cause, and the others go on in another thread.
   */
  private hear(id: number, port: MessagePort): void {
    const running = this.running.get(id);
    const { thread = null, timeoutMs = 0 } = running ?? {};
    if (running === undefined || thread === null || this.searches.has(thread)) return;
    port.postMessage('hear' satisfies ToThread);
    running.unheard += 1;
    if (running.unheard * HEARD_EVERY_MS <= timeoutMs) return;
    const search = runningIn(thread).then((found) => {
      this.searches.delete(thread);
      if (!this.running.has(id) || running.unheard * HEARD_EVERY_MS <= timeoutMs) return;
      const there = [...this.running.values()].filter((one) => one.thread === thread);
      const cause = this.running.get(found.task ?? -1) ?? (there.length === 1 ? there[0] : undefined);
      // It has a time limit of its own.
      if (cause?.mayWait === false) return;
      if (cause !== undefined) Object.assign(cause, { isStuck: true, isCause: true, place: found.place });
      this.stop(thread, cause !== undefined);
    });
    this.searches.set(thread, search);
  }

  /** Starts a task's time limit when its thread begins it. The answer may arrive first: it has another channel. */
  private begin({ begun, thread }: Begun): void {
    const { unbegun } = this.givenTo(thread);
    this.given.set(thread, { unbegun: unbegun - 1, silent: 0 });
    const running = this.running.get(begun);
    if (running === undefined || running.thread !== null) return;
    running.thread = thread;
    // A busy event loop handles timers before an answer that came in time.
    if (running.mayWait) return;
    const late = () =>
      setImmediate(() => {
        if (!this.running.has(begun)) return;
        running.isStuck = true;
        this.stop(thread);
      });
    running.timer = setTimeout(late, running.timeoutMs + (this.options.grace ?? GRACE_MS));
  }

  /** Notes a task whose code ends its thread: none of the others is a suspect. */
  private end({ ending }: Ending): void {
    const running = this.running.get(ending);
    if (running === undefined || running.thread === null) return;
    running.isCause = true;
    this.stopped.add(running.thread);
  }

  /** Ends a thread. @param isKnown true if the cause is known: none of the other tasks */
  private stop(thread: number, isKnown = true): void {
    if (isKnown) this.stopped.add(thread);
    const end = () => this.pool?.threads.find(({ threadId }) => threadId === thread)?.terminate();
    const search = this.searches.get(thread);
    if (search === undefined) void end();
    else void search.then(end);
  }

  /** Ends threads that begin nothing and run no task: what an earlier task has left there computes, maybe for ever. */
  private endBlocked(): void {
    const busy = new Set([...this.running.values()].map(({ thread }) => thread));
    for (const [thread, given] of this.given) {
      if (given.unbegun === 0 || given.silent === null || busy.has(thread)) continue;
      given.silent += 1;
      // The first of these seconds has not passed as a whole.
      if ((given.silent - 1) * HEARD_EVERY_MS <= (this.options.grace ?? GRACE_MS)) continue;
      this.given.delete(thread);
      this.stop(thread);
    }
  }

  private givenTo(thread: number): Given {
    return this.given.get(thread) ?? { unbegun: 0, silent: null };
  }

  private threads(): Piscina {
    this.watch ??= setInterval(() => this.endBlocked(), HEARD_EVERY_MS).unref();
    this.pool ??= this.start();
    return this.pool;
  }

  private start(): Piscina {
    const unbegunIn = (id: number) => this.givenTo(id).unbegun;
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
        if (best === undefined) return null;
        const { unbegun, silent } = this.givenTo(best.id);
        const isFirst = silent !== null && unbegun === 0;
        this.given.set(best.id, { unbegun: unbegun + 1, silent: isFirst ? 0 : silent });
        return best;
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
    pool.on('message', (message: Partial<Begun & Ending> | null | undefined) => {
      if (typeof message?.begun === 'number') this.begin(message as Begun);
      if (typeof message?.ending === 'number') this.end(message as Ending);
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

/** Calls an offered function for a thread, and answers. The thread may have ended meanwhile. */
async function answer(
  { called, given, number }: Called,
  offers: Functions,
  port: MessagePort,
): Promise<void> {
  const call = async () => offers[called]?.(...(given as never[]));
  const ended = await call().then(
    (value) => ({ value }),
    (error: unknown) => ({ thrown: packError(error) }),
  );
  if (number !== undefined) port.postMessage({ answered: number, ...ended } satisfies ToThread);
}
