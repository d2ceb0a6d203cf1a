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
import type { BundleAsked, TaskAnswer, TaskFailure } from './bundle-thread.js';
import { CodePool } from './code-pool.js';
import { tryModuleApart } from './code-trial.js';

export interface BundlePoolOptions {
  /** Milliseconds beyond a task's time after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** The module that a thread runs, as bundle-thread.ts is one. */
  thread?: URL;
}

/** Runs the code of bundles in threads of its own, tools and rewards alike. */
export class BundlePool {
  private readonly pool: CodePool<BundleAsked, TaskAnswer>;
  private evaluations = 0;

  constructor({ thread, ...options }: BundlePoolOptions = {}) {
    this.pool = new CodePool({
      ...options,
      thread: thread ?? new URL('./bundle-thread.js', import.meta.url),
      what: 'bundles',
      stuck,
      ended: ({ stored }, message) =>
        new InfrastructureError(`the thread that ran the code of ${stored.row.id} ended: ${message}`),
    });
  }

  /** For one evaluation. What its modules offer is read in this thread; what they do is done in others. */
  code(): BundleCode {
    const evaluation = String(this.evaluations++);
    const { tools } = localBundleCode(new BundleFiles(tryModuleApart));
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
  close(): Promise<void> {
    return this.pool.close();
  }

  /** @throws what the code has thrown; InfrastructureError where its thread came to an end. */
  private async run(asked: BundleAsked, signal: CodeLimits['signal']): Promise<TaskAnswer> {
    const answer = await this.pool.run(asked, { signal });
    if ('failure' in answer) throw errorOf(answer.failure, signal);
    return answer;
  }
}

function stuck({ kind, stored, asked, timeoutMs }: BundleAsked): InfrastructureError {
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
