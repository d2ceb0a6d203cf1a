import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { MessageChannel, type MessagePort, parentPort, threadId } from 'node:worker_threads';
import type { LogLevel, LogLine, LogSink } from '../contracts/logger.js';
import type { SymbolicComparer } from '../grading/grade.js';
import { LATE, settle } from '../sandboxes/settle.js';
import { withLog } from './log.js';
import { type PackedError, packError, unpackError } from './packed-error.js';
import { importWork, type Surroundings, type ThreadWork } from './thread-work.js';

export interface Task {
  /** Id within the pool. */
  id: number;
  work: ThreadWork<unknown, unknown>;
  input: unknown;
  timeoutMs: number;
  /** Port to the caller: any message from there means that nobody waits any more. */
  port: MessagePort;
  /** Lowest level of the lines that are logged; null: nobody wants any. */
  logLevel: LogLevel | null;
}

/** Message of a thread about what a user's code logs. */
export interface Logged {
  logged: LogLine;
}

/** Maximum number of lines of one task. */
const MAX_LINES = 1000;

/** Returns the sink of one task's lines. */
function sinkInto(port: MessagePort, level: LogLevel): LogSink {
  let count = 0;
  const write = (logged: LogLine) => {
    count += 1;
    if (count < MAX_LINES) port.postMessage({ logged } satisfies Logged);
    if (count !== MAX_LINES) return;
    const message = `more than ${MAX_LINES} lines were logged at once; the others are dropped`;
    port.postMessage({ logged: { level: 'WARN', name: '', message, fields: {} } } satisfies Logged);
  };
  return { level, write };
}

/** Message of a thread when it begins a task. */
export interface Begun {
  begun: number;
  thread: number;
}

/** Two expressions to compare for a user's code, which is done where the maths library has limits. */
export interface Comparison {
  left: string;
  right: string;
  tolerance: number | undefined;
  answer: MessagePort;
}

export type Answer = { value: unknown } | { thrown: PackedError } | { isBusy: boolean; thread: number };

/** Share of a task's time from which on other tasks in its thread may have used it up. */
const BUSY = 0.5;

function comparer(port: MessagePort): SymbolicComparer {
  return async (left, right, tolerance) => {
    const { port1: ours, port2: answer } = new MessageChannel();
    const answered = once(ours, 'message') as Promise<
      [{ value: boolean | undefined } | { thrown: PackedError }]
    >;
    port.postMessage({ left, right, tolerance, answer } satisfies Comparison, [answer]);
    const [compared] = await answered;
    ours.close();
    if ('thrown' in compared) throw unpackError(compared.thrown);
    return compared.value;
  };
}

/** Runs one task: the entry of every thread; see code-pool.ts. Errors of the code are returned. */
export default async function run(task: Task): Promise<Answer> {
  const { id, work, input, timeoutMs, port, logLevel } = task;
  // Imported before the time limit starts.
  const called = await importWork(work);
  parentPort?.postMessage({ begun: id, thread: threadId } satisfies Begun);
  const cancelled = new AbortController();
  port.on('message', () => cancelled.abort());
  const around: Surroundings = { timeoutMs, signal: cancelled.signal, compare: comparer(port) };
  const before = performance.eventLoopUtilization();
  try {
    const begin = () => called(input, around);
    const working = logLevel === null ? begin() : withLog(sinkInto(port, logLevel), begin);
    const value = await settle(working, timeoutMs);
    if (value !== LATE) return { value };
    const isBusy = performance.eventLoopUtilization(before).utilization > BUSY;
    return { isBusy, thread: threadId };
  } catch (error) {
    return { thrown: packError(error) };
  } finally {
    port.close();
  }
}
