import { textsOf } from '../activities/user-modules.js';
import { InvalidInputError } from '../config/errors.js';
import { CODE_ENDINGS, checkFile } from '../config/named-files.js';
import type { Domain, DomainScore, OwnScorers } from '../evolution/domains/domain.js';
import { GradingLimitError } from '../grading/grade.js';
import type { CodeTexts } from '../user-code/code-texts.js';
import { tryDomainApart } from './code-trial.js';
import { FairPool, type Late, ThreadLost } from './fair-pool.js';
import type { ScoreAnswer, ScoreAsked } from './scorer-thread.js';

/** Milliseconds that scoring one output may take. */
const SCORING_MS = 120_000;
/** Where a user's scorer is named. */
const FIELD = 'domain.file';
/** What Node says of a thread that has taken too much. */
const TOO_MUCH_MEMORY = /memory limit/;

export interface ScorerPoolOptions {
  /** Milliseconds that scoring one output may take: 120,000. */
  timeoutMs?: number;
  /** Milliseconds beyond that after which its thread is taken for stuck: 5000. */
  grace?: number;
  /** The module that a thread runs, as scorer-thread.ts is one. */
  thread?: URL;
}

/**
 * Runs users' scorers in threads. An output that makes one compute without end, or take all memory, counts as 0: a program
 * must not be able to win by making its scorer stumble. A scorer that waits for what never comes, or that ends its process,
 * has failed by itself, which is nobody's score.
 */
export class ScorerPool implements OwnScorers {
  private readonly pool: FairPool<ScoreAsked, ScoreAnswer>;
  private readonly timeoutMs: number;
  private experiments = 0;

  constructor({ timeoutMs = SCORING_MS, thread, ...options }: ScorerPoolOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.pool = new FairPool({
      ...options,
      thread: thread ?? new URL('./scorer-thread.js', import.meta.url),
      what: 'scorers',
    });
  }

  tried(file: string, begunWith?: CodeTexts): Promise<void> {
    return tryDomainApart(file, begunWith);
  }

  scorer(file: string, begunWith?: CodeTexts): Domain['score'] {
    const experiment = String(this.experiments++);
    const texts = begunWith ?? textsOf(file, FIELD);
    return async (output, example) => {
      // What is allowed is known in this thread alone.
      checkFile(FIELD, file, 'code', CODE_ENDINGS);
      const { timeoutMs } = this;
      const answer = await this.pool.run({ experiment, file, texts, output, example, timeoutMs });
      return scoreOf(answer, timeoutMs / 1000);
    };
  }

  /** Ends all threads; what is asked afterwards is refused. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** @throws GradingLimitError, InvalidInputError, or what the scorer has failed with. */
function scoreOf(answer: ScoreAnswer | ThreadLost | Late, seconds: number): DomainScore {
  if (answer instanceof ThreadLost) {
    if (answer.how === 'stuck') throw tooLong(seconds);
    if (TOO_MUCH_MEMORY.test(answer.message))
      throw new GradingLimitError('scoring took more memory than a thread has');
    throw new Error(`the scorer ended its thread: ${answer.message}`);
  }
  if ('late' in answer) {
    if (answer.isThreadBusy) throw tooLong(seconds);
    throw new Error(`the scorer waited for more than ${seconds} s`);
  }
  if ('scored' in answer) return answer.scored;
  if ('threw' in answer) throw new Error(answer.threw);
  throw new InvalidInputError(answer.refused, answer.field);
}

function tooLong(seconds: number): GradingLimitError {
  return new GradingLimitError(`scoring computed for more than ${seconds} s`);
}
