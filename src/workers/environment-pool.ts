import { type EnvironmentCode, localEnvironmentCode, type Playable } from '../activities/environment-code.js';
import { textsOf } from '../activities/user-modules.js';
import { InvalidInputError } from '../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { EpisodeError } from '../contracts/results.js';
import { ComparisonUnavailableError, GradingLimitError, type SymbolicComparer } from '../grading/grade.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import { checkedApart } from './code-trial.js';
import {
  type ComparedThere,
  type EnvironmentAnswer,
  type EnvironmentAsked,
  type EnvironmentMove,
  reasonOf,
  type WantedComparison,
} from './environment-thread.js';
import { FairPool, ThreadLost } from './fair-pool.js';

/** Of environments that wait for something outside, as for a server of their own. */
const TASKS_A_THREAD = 512;
/** Where a user's class is named. */
const FIELD = 'dataset.env_file';

export interface EnvironmentPoolOptions {
  compareSymbolically: SymbolicComparer;
  /** Milliseconds beyond a step's time after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** The module that a thread runs, as environment-thread.ts is one. */
  thread?: URL;
}

/**
 * Runs users' own environments in threads: one that computes without end, waits for what never comes, takes all memory or
 * ends its process costs its own sample an error row, and the worker nothing.
 */
export class EnvironmentPool {
  private readonly pool: FairPool<EnvironmentAsked, EnvironmentAnswer>;
  private readonly compareSymbolically: SymbolicComparer;
  private runs = 0;

  constructor({ compareSymbolically, grace, thread }: EnvironmentPoolOptions) {
    this.compareSymbolically = compareSymbolically;
    this.pool = new FairPool({
      ...(grace === undefined ? {} : { grace }),
      thread: thread ?? new URL('./environment-thread.js', import.meta.url),
      what: 'environments',
      tasksAThread: TASKS_A_THREAD,
    });
  }

  /**
   * For one run. Built-in environments stay in this thread.
   * @param begunWith what is loaded of a user's files, whatever they say now; by default what they say at the first sample
   */
  code(begunWith?: CodeTexts): EnvironmentCode {
    const run = String(this.runs++);
    const local = localEnvironmentCode(this.compareSymbolically);
    const texts = new Map<string, CodeTexts | undefined>();
    return {
      playable: (source, task) => {
        const { file } = source;
        if (file === undefined) return local.playable(source, task);
        if (!texts.has(file)) texts.set(file, begunWith ?? textsOf(file, FIELD));
        return this.playable({ run, source, task, texts: texts.get(file) });
      },
      checked: (source, tasks) => {
        const { file } = source;
        return file === undefined ? local.checked(source, tasks) : checkedApart({ ...source, file }, tasks);
      },
    };
  }

  /** Ends all threads; what is asked afterwards is refused. */
  close(): Promise<void> {
    return this.pool.close();
  }

  private playable(sample: Pick<EnvironmentAsked, 'run' | 'source' | 'task' | 'texts'>): Playable {
    const { file, timeoutMs } = sample.source;
    const ask = (move: EnvironmentMove) => {
      // What is allowed is known in this thread alone.
      checkFile(FIELD, file as string, 'code', CODE_ENDINGS);
      return this.run({ ...move, ...sample, timeoutMs });
    };
    return {
      begin: async () => (await ask({ kind: 'reset' })) as Awaited<ReturnType<Playable['begin']>>,
      step: async (state, action) =>
        (await ask({ kind: 'step', state, action })) as Awaited<ReturnType<Playable['step']>>,
    };
  }

  private async run(asked: EnvironmentAsked): Promise<unknown> {
    const waiting = { hear: (message: unknown) => void this.compare(message as WantedComparison) };
    const answer = await this.pool.run(asked, waiting);
    if (answer instanceof ThreadLost)
      return { error: answer.how === 'stuck' ? late(asked) : died(asked, answer.message) };
    if ('late' in answer) return { error: late(asked) };
    if ('outcome' in answer) return JSON.parse(answer.outcome);
    throw errorOf(answer);
  }

  private async compare({ left, right, tolerance, answer }: WantedComparison): Promise<void> {
    const compared = await this.compareSymbolically(left, right, tolerance).then(
      (value): ComparedThere => ({ value }),
      (error: Error): ComparedThere => {
        if (error instanceof GradingLimitError) return { failure: 'limit', message: error.message };
        const isKnown = error instanceof ComparisonUnavailableError;
        return { failure: 'unavailable', message: isKnown ? reasonOf(error) : error.message };
      },
    );
    answer.postMessage(compared);
    answer.close();
  }
}

function late({ kind, timeoutMs }: EnvironmentAsked): EpisodeError {
  const message = `${kind} took more than ${timeoutMs / 1000} s (dataset.env_timeout_sec)`;
  return { type: 'EnvironmentTimeout', message };
}

function died({ kind }: EnvironmentAsked, message: string): EpisodeError {
  return { type: 'EnvironmentError', message: `${kind} ended its thread: ${message}` };
}

function errorOf({ failure, message, field }: Extract<EnvironmentAnswer, { failure: unknown }>): Error {
  if (failure === 'unavailable') return new ComparisonUnavailableError(message);
  if (failure === 'input') return new InvalidInputError(message, field);
  return new InfrastructureError(message);
}
