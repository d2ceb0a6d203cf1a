import type { FailedBefore } from '../contracts/step-cost.js';
import { isFaultOfReply, LanguageModelError } from './errors.js';

/** State of an unreachable provider; the same object during the whole outage. */
export interface Unreachable {
  /** Time of the first refusal, in milliseconds since 1970. */
  since: number;
  /** Provider's latest error message. */
  message: string;
}

/** Error of a call that waited for a provider until its time limit. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';

  constructor(
    /** Provider's last refusal. */
    readonly refusal: LanguageModelError,
  ) {
    super(refusal.message);
  }
}

/** Listener that gets the state of an unreachable provider with each refusal; null: it answers again. */
export type OnUnreachable = (unreachable: Unreachable | null) => void;

export interface OutageOptions {
  onUnreachable?: OnUnreachable;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
  /** Random number from 0 to 1. */
  random?: () => number;
}

export interface RetryTurnOptions {
  signal?: AbortSignal;
  /** Time by `now` at which a waiting call is given up. */
  until?: number;
  onUnreachable?: OnUnreachable;
}

/** Permission to send one request. Call a method when it has ended; only the first call has an effect. */
export interface Turn {
  answered(): void;
  /**
   * Records a failure.
   * @param key identifies the call
   * @param before earlier failures of the call, without forgiven ones
   * @returns true if the failure is forgiven: the provider refuses everything, and the call waits for its turn again.
   */
  failed(key: string, before: FailedBefore, error: LanguageModelError): boolean;
  /** Ends a request that was given up, which says nothing about the provider. */
  dropped(): void;
}

interface Waiter extends RetryTurnOptions {
  admit(): void;
  giveUp(refusal: LanguageModelError): void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
/** Bounds of the refused calls in a row that make a provider unreachable: half of those in flight, within these. */
const FEWEST_REFUSED = 2;
const MAX_REFUSED = 10;
/** Refusals in a row of a single call, without others in flight, before a provider counts as unreachable. */
const REFUSED_ALONE = 3;
/** Milliseconds of an outage during which refusals are forgiven. */
const FORGIVEN_FOR = 24 * 3600 * 1000;
/** Milliseconds of an outage of one call alone that is rate limited: as long as the hour of which limits are. */
const FORGIVEN_ALONE = 3600 * 1000;
/** Statuses of gateways whose server is unreachable. */
const GATEWAY_STATUSES = [502, 504];

/** Reports whether the provider has not even tried: too many requests, no capacity, no connection. */
function isRefusal({ kind, status, isUnsent }: LanguageModelError): boolean {
  return (
    kind === 'rate_limited' || kind === 'overloaded' || isUnsent || GATEWAY_STATUSES.includes(status ?? 0)
  );
}

/** Returns the failures of a call after a further one. */
export function withFailure({ failures, refused_since }: FailedBefore, error: unknown): FailedBefore {
  const since = failures === 0 ? Date.now() : refused_since;
  const isRefused = error instanceof LanguageModelError && isRefusal(error) && since !== undefined;
  return { failures: failures + 1, ...(isRefused ? { refused_since: since } : {}) };
}

/** Reports whether the provider works, although this request failed. */
function isAtWork({ kind }: LanguageModelError): boolean {
  return kind === 'bad_request' || kind === 'context_full' || isFaultOfReply(kind);
}

/**
 * Circuit breaker for one model. Once the provider refuses everything, calls wait, and one at a time tests whether it
 * is back, after 1 s, 2 s, … up to a minute, or as long as the provider requests. After an answer the others follow,
 * twice as many with each round. Meanwhile refusals are forgiven: an outage uses up no attempts of a call. A call with
 * earlier failures is forgiven only if all were refusals and no request sent since the first has been answered;
 * otherwise the call may be at fault.
 *
 * Invariant: calls get their turns in order of arrival; a call with a turn ends it.
 */
export class Outage {
  private readonly now: () => number;
  private readonly random: () => number;
  private readonly onUnreachable: OnUnreachable;
  private state: 'closed' | 'open' | 'easing' = 'closed';
  private readonly waiting = new Set<Waiter>();
  /** Keys of the calls that were refused since the last answer. */
  private readonly inARow = new Set<string>();
  /** Time at which the newest answered request was sent, in milliseconds since 1970: some answers come late. */
  private answeredAt = Number.NEGATIVE_INFINITY;
  private inFlight = 0;
  /** Maximum of requests in flight in the state `easing`. */
  private window = 0;
  /** Number of openings so far; while open, results of requests sent before the last one are ignored. */
  private openings = 0;
  private openedAt = 0;
  private pause = FIRST_PAUSE;
  private isDue = false;
  private timer: NodeJS.Timeout | undefined;
  private current: Unreachable | null = null;
  private last: LanguageModelError | null = null;

  constructor({
    onUnreachable = () => undefined,
    now = () => performance.now(),
    random = Math.random,
  }: OutageOptions = {}) {
    this.onUnreachable = onUnreachable;
    this.now = now;
    this.random = random;
  }

  /** True if calls wait while single requests test the provider. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** @throws WaitedTooLong, or the signal's reason. */
  turn(options: RetryTurnOptions = {}): Promise<Turn> {
    const { signal, onUnreachable } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.admits()) return Promise.resolve(this.begin(onUnreachable));
    if (this.current !== null) onUnreachable?.(this.current);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(waiter);
        signal?.removeEventListener('abort', abandon);
      };
      const abandon = () => {
        leave();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        ...options,
        admit: () => {
          leave();
          resolve(this.begin(onUnreachable));
        },
        giveUp: (refusal) => {
          leave();
          reject(new WaitedTooLong(refusal));
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.waiting.add(waiter);
    });
  }

  private admits(): boolean {
    if (this.state === 'closed') return true;
    if (this.waiting.size > 0) return false;
    return this.state === 'open' ? this.isDue : this.inFlight < this.window;
  }

  private begin(onUnreachable?: OnUnreachable): Turn {
    this.isDue = false;
    this.inFlight += 1;
    const sent = Date.now();
    const opening = this.openings;
    let isOver = false;
    const end = <Value>(otherwise: Value, work: () => Value): Value => {
      if (isOver) return otherwise;
      isOver = true;
      this.inFlight -= 1;
      return work();
    };
    const tellsNow = () => this.state !== 'open' || opening === this.openings;
    return {
      answered: () => end(undefined, () => (tellsNow() ? this.answer(sent, onUnreachable) : undefined)),
      failed: (key, before, error) =>
        end(false, () => {
          if (isAtWork(error)) {
            if (tellsNow()) this.answer(sent, onUnreachable);
            return false;
          }
          return this.fail({ key, before, tellsNow: tellsNow() }, error);
        }),
      dropped: () => end(undefined, () => this.goOn(tellsNow())),
    };
  }

  private answer(sent: number, onUnreachable?: OnUnreachable): void {
    this.inARow.clear();
    this.answeredAt = Math.max(this.answeredAt, sent);
    if (this.state === 'closed') return;
    if (this.state === 'easing') this.window += 1;
    else {
      this.state = 'easing';
      this.window = 2;
      clearTimeout(this.timer);
    }
    if (this.current !== null) {
      this.current = null;
      for (const listener of [this.onUnreachable, onUnreachable, ...this.listeners()]) listener?.(null);
    }
    this.ease();
    if (this.waiting.size === 0) this.state = 'closed';
  }

  private fail(
    { key, before, tellsNow }: { key: string; before: FailedBefore; tellsNow: boolean },
    error: LanguageModelError,
  ): boolean {
    const isRefused = isRefusal(error);
    if (isRefused) {
      this.inARow.add(key);
      this.last = error;
    }
    if (this.state === 'open' && tellsNow) this.probeFailed(error);
    else if (isRefused && this.state !== 'open' && this.isRefusingAll(before)) this.open(error);
    if (this.state === 'easing') this.ease();
    const isForgivable = this.isOpen && this.now() - this.openedAt < this.forgivenFor(error);
    return isRefused && isForgivable && this.hasAnsweredNothingSince(before);
  }

  /** A call may be larger than a limit, and the only one refused: then its attempts count again. */
  private forgivenFor({ kind }: LanguageModelError): number {
    const isAlone = this.inARow.size < 2 && this.waiting.size === 0;
    return isAlone && kind === 'rate_limited' ? FORGIVEN_ALONE : FORGIVEN_FOR;
  }

  private hasAnsweredNothingSince({
    failures,
    refused_since = Number.NEGATIVE_INFINITY,
  }: FailedBefore): boolean {
    return failures === 0 || refused_since > this.answeredAt;
  }

  /**
   * Reports whether so many calls in a row were refused that the provider must be the reason. If no other call is in
   * flight, as with one lane or one memory for all, only the call's own refusals are known.
   */
  private isRefusingAll(before: FailedBefore): boolean {
    if (this.inARow.size >= this.bearable()) return true;
    const { failures, refused_since } = before;
    const own = refused_since !== undefined && this.hasAnsweredNothingSince(before) ? failures + 1 : 1;
    return this.inFlight === 0 && own >= REFUSED_ALONE;
  }

  /**
   * Returns the number of refused calls in a row that makes a provider unreachable. The refused call counts as in
   * flight.
   */
  private bearable(): number {
    const peers = this.state === 'easing' ? this.window : this.inFlight + 1;
    return Math.max(FEWEST_REFUSED, Math.min(MAX_REFUSED, Math.ceil(peers / 2)));
  }

  private open({ retryAfterMs }: LanguageModelError): void {
    // A provider that answers a few requests and refuses again is still in the same outage.
    if (this.state === 'closed') {
      this.pause = FIRST_PAUSE;
      this.openedAt = this.now();
    }
    this.state = 'open';
    this.openings += 1;
    this.schedule(retryAfterMs);
  }

  private probeFailed(error: LanguageModelError): void {
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
    this.current ??= { since: Date.now() - Math.round(this.now() - this.openedAt), message: error.message };
    this.current.message = error.message;
    this.onUnreachable(this.current);
    for (const listener of this.listeners()) listener(this.current);
    this.schedule(error.retryAfterMs);
  }

  private listeners(): OnUnreachable[] {
    return [...this.waiting].flatMap(({ onUnreachable }) => onUnreachable ?? []);
  }

  /** Schedules the next test, with a random delay so that workers do not test all at once. */
  private schedule(retryAfterMs = 0): void {
    clearTimeout(this.timer);
    const pause = Math.max(this.pause * (0.75 + this.random() / 2), retryAfterMs);
    this.timer = setTimeout(() => this.probe(), pause);
    // Waiting callers keep the process alive; the timer need not.
    this.timer.unref();
  }

  private probe(): void {
    const now = this.now();
    for (const waiter of this.waiting) {
      if (this.last !== null && (waiter.until ?? Number.POSITIVE_INFINITY) <= now) waiter.giveUp(this.last);
    }
    const [first] = this.waiting;
    if (first === undefined) this.isDue = true;
    else first.admit();
  }

  private goOn(tellsNow: boolean): void {
    if (this.state === 'open' && tellsNow) this.schedule();
    else if (this.state === 'easing') this.ease();
  }

  private ease(): void {
    for (const waiter of this.waiting) {
      if (this.inFlight >= this.window) return;
      waiter.admit();
    }
  }
}
