import { sep } from 'node:path';
import {
  type BundleCode,
  type CodeLimits,
  type LoadableRow,
  localBundleCode,
  type StoredRow,
} from '../activities/agent-eval/bundle-code.js';
import { BundleFiles } from '../activities/agent-eval/bundle-files.js';
import { checkModules, type ModuleTrial, moduleTexts } from '../bundles/bundle-modules.js';
import { RewardError } from '../bundles/reward.js';
import { InvalidInputError } from '../config/errors.js';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import type { BundleAsked, TaskAnswer, TaskFailure } from './bundle-thread.js';
import { CodePool } from './code-pool.js';
import { tryModuleApart } from './code-trial.js';

export interface BundlePoolOptions {
  /** Milliseconds beyond a task's time after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** The module that a thread runs, as bundle-thread.ts is one. */
  thread?: URL;
  /** Loads a module for a trial: by default in a thread of its own. */
  trial?: ModuleTrial;
}

/** Runs the code of bundles in threads of its own, tools and rewards alike. */
export class BundlePool {
  private readonly pool: CodePool<BundleAsked, TaskAnswer>;
  private readonly trial: ModuleTrial;
  private evaluations = 0;

  constructor({ thread, trial = tryModuleApart, ...options }: BundlePoolOptions = {}) {
    this.trial = trial;
    this.pool = new CodePool({
      ...options,
      thread: thread ?? new URL('./bundle-thread.js', import.meta.url),
      what: 'bundles',
      stuck,
      ended: (asked, message) => new InfrastructureError(`the thread of ${codeOf(asked)} ended: ${message}`),
    });
  }

  /**
   * For one evaluation. What its modules offer is read in this thread; what they do is done in others.
   * @param begunWith what is loaded of the modules, whatever their files say now; by default what they say when a row's
   * are first needed
   */
  code(begunWith?: CodeTexts): BundleCode {
    const evaluation = String(this.evaluations++);
    const { tools } = localBundleCode(new BundleFiles(this.trial));
    // What is allowed is known in this thread alone.
    const check = ({ row, folder }: StoredRow) => checkModules(row, folder);
    const held = new Map<string, CodeTexts | undefined>();
    const withTexts = (stored: StoredRow): LoadableRow => {
      const key = `${stored.folder} ${stored.row.toolset}`;
      if (!held.has(key)) held.set(key, textsOf(stored, begunWith));
      return { ...stored, texts: held.get(key) };
    };
    return {
      tools: (stored) => tools(withTexts(stored)),
      call: async (asIs, asked, { timeoutMs, signal }) => {
        check(asIs);
        const stored = withTexts(asIs);
        const answer = await this.run({ kind: 'call', evaluation, stored, asked, timeoutMs }, signal);
        return (answer as Extract<TaskAnswer, { ran: unknown }>).ran;
      },
      judge: async (asIs, asked, { timeoutMs, signal }) => {
        check(asIs);
        const stored = withTexts(asIs);
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
    if ('failure' in answer) throw errorOf(asked, answer.failure, signal);
    return answer;
  }
}

/** Those of one row's modules: other bundles' need not come along. */
function textsOf({ row, folder }: StoredRow, begunWith: CodeTexts | undefined): CodeTexts | undefined {
  if (begunWith === undefined) return moduleTexts(row, folder);
  return new Map([...begunWith].filter(([path]) => path.startsWith(folder + sep)));
}

/** Which code a task is: `the tool book of desk.001 (/desk/tools.ts)`. */
function codeOf({ kind, stored, asked }: BundleAsked): string {
  const { row, folder } = stored;
  return kind === 'call'
    ? `the tool ${asked.call.name} of ${row.id} (${row.toolset} in ${folder})`
    : `the reward of ${row.id} (reward in ${folder})`;
}

function stuck(asked: BundleAsked): InfrastructureError {
  return new InfrastructureError(
    `${codeOf(asked)} computed for longer than ${asked.timeoutMs / 1000} s without a pause; its thread was ended`,
  );
}

/** What nobody foresaw costs this task alone: it is tried again, and is its rollout's error at last. */
function errorOf(asked: BundleAsked, { kind, message }: TaskFailure, signal: CodeLimits['signal']): unknown {
  if (kind === 'cancelled' && signal?.aborted) return signal.reason;
  if (kind === 'reward') return new RewardError(message);
  if (kind === 'input') return new InvalidInputError(message, 'datasets');
  return new InfrastructureError(kind === 'infrastructure' ? message : `${codeOf(asked)}: ${message}`);
}
