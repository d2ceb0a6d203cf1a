import { isFaultOfReply, LanguageModelError } from './errors.js';

/** Connections that are tried one after another before a model counts as unreachable: about fifteen seconds. */
const MOST_IN_VAIN = 5;
/** Milliseconds for which calls that come later hear the same, until their experiment has ended. */
const GIVEN_UP_FOR = 5000;

/** What is known beyond this process. */
export interface Acquaintance {
  /** `provider/model`. */
  modelName: string;
  /** Whether the model has answered the experiment, to whomever. */
  wasMade(): Promise<boolean>;
  /** It has answered, whatever it was: others, and those that come later, are to know. */
  made(): Promise<unknown>;
}

/**
 * Whether a model was ever reached for an experiment. One that was there is waited for, however long it is away; where
 * nobody has ever answered, most likely the address is wrong or nothing was started, and the experiment ends and says so.
 */
export class FirstContact {
  private isMade = false;
  private inVain = 0;
  /** When the last connection failed that counts, by `performance.now()`. */
  private failedAt = Number.NEGATIVE_INFINITY;
  private readonly unreachable = new AbortController();

  constructor(private readonly acquaintance: Acquaintance) {}

  /** Whether a later call begins anew. */
  get isOver(): boolean {
    return this.unreachable.signal.aborted && performance.now() - this.failedAt > GIVEN_UP_FOR;
  }

  /** Ends what waits for leave to ask, where the model is unreachable. */
  within(waiting?: AbortSignal): AbortSignal | undefined {
    if (this.isMade) return waiting;
    const { signal } = this.unreachable;
    return waiting === undefined ? signal : AbortSignal.any([waiting, signal]);
  }

  /** A request has ended with a reply. */
  answered(): void {
    if (this.isMade) return;
    this.isMade = true;
    this.acquaintance.made().catch(() => {
      this.isMade = false;
    });
  }

  /**
   * A request has failed. Connections that were tried while another one failed count with that one.
   * @param began when it was tried, by `performance.now()`
   * @returns why the experiment ends; null where it does not.
   */
  async failed(error: LanguageModelError, began: number): Promise<LanguageModelError | null> {
    if (error.status !== undefined || isFaultOfReply(error.kind)) this.answered();
    if (!error.isUnsent || error.kind === 'unreachable' || this.isMade || began < this.failedAt) return null;
    this.failedAt = performance.now();
    this.inVain += 1;
    if (this.inVain < MOST_IN_VAIN || (await this.wasMade())) return null;
    const { modelName } = this.acquaintance;
    const unreachable = new LanguageModelError(
      'unreachable',
      `cannot connect to ${modelName}, ${this.inVain} times in a row, and it has not answered once: ${error.message.replace(/\.$/, '')}. When it is there, the same command goes on`,
      { provider: error.provider, isUnsent: true },
    );
    this.unreachable.abort(unreachable);
    return unreachable;
  }

  private async wasMade(): Promise<boolean> {
    this.isMade = this.isMade || (await this.acquaintance.wasMade());
    return this.isMade;
  }
}
