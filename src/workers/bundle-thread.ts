import { parentPort } from 'node:worker_threads';
import {
  type BundleCode,
  type CodeLimits,
  type LoadableRow,
  localBundleCode,
  type RewardQuestion,
} from '../activities/agent-eval/bundle-code.js';
import { BundleFiles } from '../activities/agent-eval/bundle-files.js';
import { Lru } from '../activities/lru.js';
import { RewardError, type RewardOutput } from '../bundles/reward.js';
import type { ModelToolCall, ToolCallPlace, ToolRan } from '../bundles/run-tool-call.js';
import { InvalidInputError } from '../config/errors.js';
import { isInfrastructureError } from '../contracts/infrastructure-error.js';
import { asError } from '../contracts/run-user-code.js';
import type { PooledTask, TaskBegun } from './code-pool.js';

/** What a thread is asked to do. */
export type BundleAsked = {
  /** The evaluation: its modules are loaded once. */
  evaluation: string;
  /** Of its modules, what the evaluation began with. */
  stored: LoadableRow;
  timeoutMs: number;
} & (
  | { kind: 'call'; asked: { before: Uint8Array; place: ToolCallPlace; call: ModelToolCall } }
  | { kind: 'judge'; asked: RewardQuestion }
);

/** An error's class does not survive the way to another thread. */
export interface TaskFailure {
  kind: 'infrastructure' | 'reward' | 'input' | 'cancelled' | 'other';
  message: string;
}

export type TaskAnswer = { ran: ToolRan } | { judged: RewardOutput } | { failure: TaskFailure };

/** Evaluations whose modules a thread holds. */
const EVALUATIONS = 8;
const codes = new Lru<string, BundleCode>(EVALUATIONS);

function codeOf(evaluation: string): BundleCode {
  let code = codes.get(evaluation);
  if (code === undefined) {
    code = localBundleCode(new BundleFiles());
    codes.set(evaluation, code);
  }
  return code;
}

function failureOf(thrown: unknown, signal: AbortSignal): TaskFailure {
  const error = asError(thrown);
  const kind = () => {
    if (signal.aborted) return 'cancelled';
    if (error instanceof RewardError) return 'reward';
    if (error instanceof InvalidInputError) return 'input';
    return isInfrastructureError(error) ? 'infrastructure' : 'other';
  };
  return { kind: kind(), message: error.message };
}

async function answer(task: BundleAsked, limits: CodeLimits): Promise<TaskAnswer> {
  const code = codeOf(task.evaluation);
  if (task.kind === 'call') return { ran: await code.call(task.stored, task.asked, limits) };
  return { judged: await code.judge(task.stored, task.asked, limits) };
}

/** Entry of a thread that runs the code of bundles; see bundle-pool.ts. Never throws. */
export default async function run(task: PooledTask<BundleAsked>): Promise<TaskAnswer> {
  parentPort?.postMessage({ begun: task.id } satisfies TaskBegun);
  const { port, timeoutMs } = task;
  const cancelled = new AbortController();
  port.on('message', () => cancelled.abort());
  try {
    return await answer(task, { timeoutMs, signal: cancelled.signal });
  } catch (error) {
    return { failure: failureOf(error, cancelled.signal) };
  } finally {
    port.close();
  }
}
