import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { MessageChannel, type MessagePort, parentPort, threadId } from 'node:worker_threads';
import type { SymbolicComparer } from '../grading/grade.js';
import { LATE, settle } from '../sandboxes/settle.js';
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
export default async function run({ id, work, input, timeoutMs, port }: Task): Promise<Answer> {
  // Imported before the time limit starts.
  const called = await importWork(work);
  parentPort?.postMessage({ begun: id, thread: threadId } satisfies Begun);
  const cancelled = new AbortController();
  port.on('message', () => cancelled.abort());
  const around: Surroundings = { timeoutMs, signal: cancelled.signal, compare: comparer(port) };
  const before = performance.eventLoopUtilization();
  try {
    const value = await settle(called(input, around), timeoutMs);
    if (value !== LATE) return { value };
    const isBusy = performance.eventLoopUtilization(before).utilization > BUSY;
    return { isBusy, thread: threadId };
  } catch (error) {
    return { thrown: packError(error) };
  } finally {
    port.close();
  }
}
