import { isFaultOfReply, LanguageModelError } from './errors.js';

/** Failed connections in a row before a model counts as unreachable: about fifteen seconds. */
const MAX_IN_VAIN = 5;
/** Milliseconds for which later calls get the same error, until their experiment has ended. */
const GIVEN_UP_FOR = 5000;

/** Milliseconds after which people hear that a model has not answered its first request. */
const SILENCE_MS = 20_000;

/** Shared record of a model's contact with an experiment. */
export interface Acquaintance {
  /** `provider/model`. */
  modelName: string;
  /** Reports whether the model has answered any call of the experiment. */
  wasMade(): Promise<boolean>;
  /** Records that the model has answered, with a reply or an error, for all processes. */
  made(): Promise<unknown>;
}

/**
 * Record of whether a model has ever answered an experiment. One that has is waited for, however long it is
 * unreachable. If it never has, most likely its address is wrong or its server was not started, and the experiment ends
 * with an error.
 */
export class FirstContact {
  private isMade = false;
  private inVain = 0;
  /** Time of the last failed connection that counts, by `performance.now()`. */
  private failedAt = Number.NEGATIVE_INFINITY;
  private readonly unreachable = new AbortController();
  private isWatched = false;

  constructor(private readonly acquaintance: Acquaintance) {}

  /** True if a later call must start with a new instance. */
  get isOver(): boolean {
    return this.unreachable.signal.aborted && performance.now() - this.failedAt > GIVEN_UP_FOR;
  }

  /** Returns a signal that also ends waiting once the model counts as unreachable. */
  within(waiting?: AbortSignal): AbortSignal | undefined {
    if (this.isMade) return waiting;
    const { signal } = this.unreachable;
    return waiting === undefined ? signal : AbortSignal.any([waiting, signal]);
  }

  /**
   * Watches a request that was sent, if it is the model's first one.
   * @param onSilence called again and again while there is no answer
   * @returns a function that ends it.
   */
  watch(onSilence: (seconds: number) => void): () => void {
    if (this.isMade || this.isWatched) return () => undefined;
    this.isWatched = true;
    let silent = 0;
    const timer = setInterval(() => {
      silent += SILENCE_MS;
      if (!this.isMade) onSilence(silent / 1000);
    }, SILENCE_MS);
    timer.unref();
    return () => {
      this.isWatched = false;
      clearInterval(timer);
    };
  }

  /** Records that a request has ended with a reply. */
  answered(): void {
    if (this.isMade) return;
    this.isMade = true;
    this.acquaintance.made().catch(() => {
      this.isMade = false;
    });
  }

  /**
   * Records a failed request. A connection that began before the last counted failure is not counted again.
   * @param began start of the attempt, by `performance.now()`
   * @returns the error that ends the experiment, or null.
   */
  async failed(error: LanguageModelError, began: number): Promise<LanguageModelError | null> {
    if (error.status !== undefined || isFaultOfReply(error.kind)) this.answered();
    if (!error.isUnsent || error.kind === 'unreachable' || this.isMade || began < this.failedAt) return null;
    this.failedAt = performance.now();
    this.inVain += 1;
    if (this.inVain < MAX_IN_VAIN || (await this.wasMade())) return null;
    const { modelName } = this.acquaintance;
    const unreachable = new LanguageModelError(
      'unreachable',
      `cannot connect to ${modelName}, ${this.inVain} times in a row, and it has not answered once: ${error.message.replace(/\.$/, '')}. When it is there, the same command continues`,
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
