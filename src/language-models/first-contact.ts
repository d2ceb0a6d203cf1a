import type { FailedBefore } from '../contracts/step-cost.js';
import { isFaultOfReply, LanguageModelError, type LanguageModelErrorKind } from './errors.js';

/** Failed connections in a row before a model counts as unreachable: about fifteen seconds. */
const MAX_IN_VAIN = 5;
/** Milliseconds for which later calls get the same error, until their experiment has ended. */
const GIVEN_UP_FOR = 5000;

/** Milliseconds after which people hear that a model has not answered its first request. */
const SILENCE_MS = 20_000;

/** Kinds of refusals that end an experiment, unless the model replies to its other calls. */
const REFUSALS: readonly LanguageModelErrorKind[] = ['authentication', 'forbidden', 'not_found'];
/**
 * Refusals one after another, and calls that were refused, without a reply between them, from which on it is not the
 * calls' fault; after as many, a prompt is given up. Where some prompts stop at a firewall, many in a row may.
 */
const REFUSED_ALL = {
  key: { refusals: 5, calls: 1 },
  prompts: { refusals: 3, calls: 4 },
  morePrompts: { refusals: 3, calls: 10 },
} as const;

/** Contact with a model: it has answered with anything, or with a reply. */
export type Contact = 'reached' | 'replied';

/** Shared record of a model's contact with an experiment. */
export interface Acquaintance {
  /** `provider/model`. */
  modelName: string;
  /** Reports whether the model has had this contact with the experiment. */
  wasMade(contact: Contact): Promise<boolean>;
  /** Records the contact for all processes. */
  made(contact: Contact): Promise<unknown>;
}

/** Call whose request is sent. */
interface SentCall {
  key: string;
  /** Its earlier failures, without forgiven ones. */
  before: FailedBefore;
}

/**
 * Record of whether a model has ever answered an experiment. One that has is waited for, however long it is
 * unreachable. If it never has, most likely its address is wrong or its server was not started, and the experiment ends
 * with an error. So it does if a key is refused, unless the model replies to other calls: then it is one call's failure.
 */
export class FirstContact {
  private readonly had = { reached: false, replied: false };
  private inVain = 0;
  /** Keys of the calls in flight. */
  private readonly inFlight = new Set<string>();
  /** Keys of the calls that were refused since the last reply, and the refusals one after another. */
  private readonly refused = new Set<string>();
  private refusals = 0;
  private refusedAt = Number.NEGATIVE_INFINITY;
  /** Some calls were refused before others got replies. */
  private refusesSome = false;
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
    if (this.had.reached) return waiting;
    const { signal } = this.unreachable;
    return waiting === undefined ? signal : AbortSignal.any([waiting, signal]);
  }

  /**
   * Watches a request that was sent, if it is the model's first one.
   * @param onSilence called again and again while there is no answer
   * @returns a function that ends it.
   */
  watch(onSilence: (seconds: number) => void): () => void {
    if (this.had.reached || this.isWatched) return () => undefined;
    this.isWatched = true;
    let silent = 0;
    const timer = setInterval(() => {
      silent += SILENCE_MS;
      if (!this.had.reached) onSilence(silent / 1000);
    }, SILENCE_MS);
    timer.unref();
    return () => {
      this.isWatched = false;
      clearInterval(timer);
    };
  }

  /** Records that a call's request is sent. @returns a function that records its end */
  sent({ key }: SentCall): () => void {
    this.inFlight.add(key);
    return () => void this.inFlight.delete(key);
  }

  /** Records that a request has ended with a reply. */
  replied(): void {
    this.refusesSome ||= this.refused.size > 0;
    this.refused.clear();
    this.refusals = 0;
    this.note('reached');
    this.note('replied');
  }

  private note(contact: Contact): void {
    if (this.had[contact]) return;
    this.had[contact] = true;
    this.acquaintance.made(contact).catch(() => {
      this.had[contact] = false;
    });
  }

  /**
   * Records a failed request. A connection that began before the last counted failure is not counted again.
   * @param began start of the attempt, by `performance.now()`
   * @returns the error that takes its place; null: it stands as it is.
   */
  async failed(error: LanguageModelError, began: number, call: SentCall): Promise<LanguageModelError | null> {
    if (error.kind === 'broken_off' || error.kind === 'content_filter') this.replied();
    else if (error.status !== undefined || isFaultOfReply(error.kind)) this.note('reached');
    if (REFUSALS.includes(error.kind) && error.status !== undefined)
      return this.refusedCall(error, began, call);
    if (!error.isUnsent || error.kind === 'unreachable' || this.had.reached || began < this.failedAt)
      return null;
    this.failedAt = performance.now();
    this.inVain += 1;
    if (this.inVain < MAX_IN_VAIN || (await this.has('reached'))) return null;
    const { modelName } = this.acquaintance;
    const unreachable = new LanguageModelError(
      'unreachable',
      `cannot connect to ${modelName}, ${this.inVain} times in a row, and it has not answered once: ${error.message.replace(/\.$/, '')}. When it is there, the same command continues`,
      { provider: error.provider, isUnsent: true },
    );
    this.unreachable.abort(unreachable);
    return unreachable;
  }

  /** Returns the error of a refused call whose model replies to others; null if every call is refused. */
  private async refusedCall(
    { kind, message, provider, status, retryAfterMs }: LanguageModelError,
    began: number,
    { key, before }: SentCall,
  ): Promise<LanguageModelError | null> {
    const isPrompts = kind === 'forbidden';
    this.refused.add(key);
    const isAwaited = [...this.inFlight].some((other) => !this.refused.has(other));
    if (!(await this.has('replied')) && !(isPrompts && isAwaited)) return null;
    if (!isAwaited && began >= this.refusedAt) {
      this.refusedAt = performance.now();
      this.refusals += 1;
    }
    const all = REFUSED_ALL[!isPrompts ? 'key' : this.refusesSome ? 'morePrompts' : 'prompts'];
    if (this.refusals >= all.refusals && this.refused.size >= all.calls) return null;
    const isFinal = isPrompts && before.failures + 1 >= all.refusals;
    return new LanguageModelError(isFinal ? 'bad_request' : 'server', message, {
      provider,
      status,
      retryAfterMs,
    });
  }

  private async has(contact: Contact): Promise<boolean> {
    this.had[contact] = this.had[contact] || (await this.acquaintance.wasMade(contact));
    return this.had[contact];
  }
}
