import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { type MessagePort, parentPort, threadId } from 'node:worker_threads';
import type { LogLevel, LogLine, LogSink } from '../contracts/logger.js';
import type { SymbolicComparer } from '../grading/grade.js';
import { LATE, settle } from '../sandboxes/settle.js';
import { withLog } from './log.js';
import { type PackedError, packError, unpackError } from './packed-error.js';
import { importWork, type Surroundings, type ThreadWork } from './thread-work.js';

export interface ThreadTask {
  /** Id within the pool. */
  id: number;
  work: ThreadWork<unknown, unknown>;
  input: unknown;
  timeoutMs: number;
  /** True if only silence is limited: the task may wait for as long as it likes. */
  mayWait: boolean;
  port: MessagePort;
  /** Lowest level of the lines that are logged; null: nobody wants any. */
  logLevel: LogLevel | null;
}

/** Messages of a thread: what a user's code logs, a function that it calls, and that it hears. */
export type FromThread = { logged: LogLine } | Called | { heard: true };

/** Call of a function that the caller of a task offers; without a number, nobody waits for an answer. */
export interface Called {
  called: string;
  given: unknown[];
  number?: number;
}

/** Messages to a thread: an answer, that nobody waits any more, and whether it hears. */
export type ToThread =
  | ({ answered: number } & ({ value: unknown } | { thrown: PackedError }))
  | 'stop'
  | 'hear';

/** Maximum number of lines of one task, or of one part of it. */
const MAX_LINES = 1000;

/** Returns the sink of one task's lines, and a function that begins another part of it. */
function sinkInto(port: MessagePort, level: LogLevel): { sink: LogSink; renew: () => void } {
  let count = 0;
  const send = (logged: LogLine) => port.postMessage({ logged } satisfies FromThread);
  const write = (logged: LogLine) => {
    count += 1;
    if (count < MAX_LINES) send(logged);
    if (count !== MAX_LINES) return;
    const message = `more than ${MAX_LINES} lines were logged at once; the others are dropped`;
    send({ level: 'WARN', name: '', message, fields: {} });
  };
  const renew = () => {
    count = 0;
  };
  return { sink: { level, write }, renew };
}

/** Message of a thread when it begins a task. */
export interface Begun {
  begun: number;
  thread: number;
}

/** Message of a thread that a task's code ends. */
export interface Ending {
  ending: number;
}

export type ThreadAnswer = { value: unknown } | { thrown: PackedError } | { isBusy: boolean; thread: number };

/** Share of a task's time from which on other tasks in its thread may have used it up. */
const BUSY = 0.5;

const inTask = new AsyncLocalStorage<number>();

/** Symbol of a function of each thread that returns the task whose code is running; see stuck-thread.ts. */
const RUNNING = Symbol.for('reprise.running-task');
(globalThis as unknown as Record<symbol, () => number | undefined>)[RUNNING] = () => inTask.getStore();

/** Functions that the caller of one task offers. */
class Offered {
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private calls = 0;

  constructor(private readonly port: MessagePort) {}

  tell(called: string, ...given: unknown[]): void {
    this.port.postMessage({ called, given } satisfies FromThread);
  }

  ask(called: string, ...given: unknown[]): Promise<unknown> {
    const number = this.calls++;
    const answered = new Promise<unknown>((resolve, reject) => this.waiting.set(number, { resolve, reject }));
    this.port.postMessage({ called, given, number } satisfies FromThread);
    return answered;
  }

  onAnswer(message: Exclude<ToThread, string>): void {
    const waiting = this.waiting.get(message.answered);
    this.waiting.delete(message.answered);
    if ('thrown' in message) waiting?.reject(unpackError(message.thrown));
    else waiting?.resolve(message.value);
  }
}

/** Runs one task: the entry of every thread; see code-pool.ts. Errors of the code are returned. */
export default async function runTask(task: ThreadTask): Promise<ThreadAnswer> {
  const { id, work, input, timeoutMs, mayWait, port, logLevel } = task;
  // Imported before the time limit starts.
  const called = await importWork(work);
  parentPort?.postMessage({ begun: id, thread: threadId } satisfies Begun);
  const cancelled = new AbortController();
  const offered = new Offered(port);
  port.on('message', (message: ToThread) => {
    if (message === 'hear') port.postMessage({ heard: true } satisfies FromThread);
    else if (message === 'stop') cancelled.abort();
    else offered.onAnswer(message);
  });
  const log = logLevel === null ? null : sinkInto(port, logLevel);
  const around: Surroundings = {
    timeoutMs,
    signal: cancelled.signal,
    ask: (...one) => offered.ask(...one),
    tell: (...one) => offered.tell(...one),
    compare: (...expressions) => offered.ask('compare', ...expressions) as ReturnType<SymbolicComparer>,
    renewLog: () => log?.renew(),
  };
  const before = performance.eventLoopUtilization();
  try {
    const begin = () => inTask.run(id, () => called(input, around));
    const working = log === null ? begin() : withLog(log.sink, begin);
    const value = mayWait ? await working : await settle(working, timeoutMs);
    if (value !== LATE) return { value };
    const isBusy = performance.eventLoopUtilization(before).utilization > BUSY;
    return { isBusy, thread: threadId };
  } catch (error) {
    return { thrown: packError(error) };
  } finally {
    port.close();
  }
}

// What a user's code begins and does not await concerns nobody: its error is not that of the tasks in this thread.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);

const { exit } = process;
process.exit = (code) => {
  const ending = inTask.getStore();
  if (ending !== undefined) parentPort?.postMessage({ ending } satisfies Ending);
  return exit(code);
};
