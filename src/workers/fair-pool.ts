import { CodePool, type CodePoolOptions, type Timed, type Waiting } from './code-pool.js';

/** A thread that had to be ended, or that came to its end: by its task, or by one beside it. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';

  constructor(
    readonly how: 'stuck' | 'ended',
    message: string,
  ) {
    super(message);
  }
}

/** What a thread answers of a task that is not over in time; the thread itself goes on. */
export interface Late {
  late: true;
  /** Tasks of it, this one or others, computed for most of the time. */
  isThreadBusy: boolean;
}

export type FairPoolOptions = Pick<CodePoolOptions<Timed>, 'thread' | 'what' | 'tasksAThread' | 'grace'>;

/**
 * Runs tasks beside each other in threads.
 *
 * Invariant: no task pays for another one, or for a busy machine's queue. What is late or loses its thread beside others is
 * run once more with a thread to itself, and what becomes of it there is the verdict.
 */
export class FairPool<Asked extends Timed, Answer extends object> {
  private readonly together: CodePool<Asked, Answer | Late>;
  private readonly alone: CodePool<Asked, Answer | Late>;

  constructor({ grace, ...options }: FairPoolOptions) {
    const all: CodePoolOptions<Asked> = {
      ...options,
      ...(grace === undefined ? {} : { grace }),
      stuck: () => new ThreadLost('stuck', 'it did not come to an end'),
      ended: (_asked, message) => new ThreadLost('ended', message),
    };
    this.together = new CodePool(all);
    this.alone = new CodePool({ ...all, threads: 1, tasksAThread: 1 });
  }

  /** @throws InfrastructureError where no thread could be had. */
  async run(asked: Asked, waiting: Waiting = {}): Promise<Answer | Late | ThreadLost> {
    const first = await this.together.run(asked, waiting).catch(lost);
    return isVerdict(first) ? first : this.alone.run(asked, waiting).catch(lost);
  }

  /** Ends all threads; what is asked afterwards is refused. */
  async close(): Promise<void> {
    await Promise.all([this.together.close(), this.alone.close()]);
  }
}

function isVerdict(answer: object): boolean {
  if (answer instanceof ThreadLost) return false;
  return !('late' in answer && (answer as Late).isThreadBusy);
}

/** What is to be tried again alone; anything else is thrown on. */
function lost(error: unknown): ThreadLost {
  if (error instanceof ThreadLost) return error;
  throw error;
}
