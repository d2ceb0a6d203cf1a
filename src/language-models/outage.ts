import type { FailedBefore } from '../contracts/step-cost.js';
import { isFaultOfReply, LanguageModelError } from './errors.js';

/** A provider that answers nobody. The same object as long as it lasts. */
export interface Away {
  /** When the first request was refused, in milliseconds since 1970. */
  since: number;
  /** What it says now. */
  message: string;
}

/** A call that waited for a provider for as long as it may. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';

  constructor(
    /** What the provider said last. */
    readonly refusal: LanguageModelError,
  ) {
    super(refusal.message);
  }
}

/** Hears of a provider that is away, again with each request that it refuses; null: it answers. */
export type HearAway = (away: Away | null) => void;

export interface OutageOptions {
  hear?: HearAway;
  /** Milliseconds, monotonic. */
  now?: () => number;
  /** From 0 to 1. */
  random?: () => number;
}

/** What a call waits with. */
export interface TurnOptions {
  signal?: AbortSignal;
  /** By `now`: a call that has waited until then is given up. */
  until?: number;
  hear?: HearAway;
}

/** Leave to send one request. One of these is called when it has ended; the first call counts. */
export interface Turn {
  answered(): void;
  /**
   * @param key names the call
   * @param before what the call has failed before this, without what was forgiven
   * @returns whether it is forgiven: the provider refuses everything, and the call waits for its turn again.
   */
  failed(key: string, before: FailedBefore, error: LanguageModelError): boolean;
  /** Nothing is known of the provider: the request was given up. */
  dropped(): void;
}

interface Waiter extends TurnOptions {
  admit(): void;
  giveUp(refusal: LanguageModelError): void;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
/** Calls in a row that are refused before a provider counts as away: half of those under way, within these. */
const FEWEST_REFUSED = 2;
const MOST_REFUSED = 10;
/** Refusals in a row of a call that nobody else is asked beside, before a provider counts as away. */
const REFUSED_ALONE = 3;
/** Milliseconds for which refusals are forgiven. */
const FORGIVEN_FOR = 24 * 3600 * 1000;
/** Statuses of gateways with nothing behind them. */
const GATEWAY_STATUSES = [502, 504];

/** Whether the provider has not even tried: too many requests, no capacity, nobody there. */
function isRefusal({ kind, status, isUnsent }: LanguageModelError): boolean {
  return (
    kind === 'rate_limited' || kind === 'overloaded' || isUnsent || GATEWAY_STATUSES.includes(status ?? 0)
  );
}

/** How a call has failed, once another of its requests has. */
export function withFailure({ failures, refused_since }: FailedBefore, error: unknown): FailedBefore {
  const since = failures === 0 ? Date.now() : refused_since;
  const isRefused = error instanceof LanguageModelError && isRefusal(error) && since !== undefined;
  return { failures: failures + 1, ...(isRefused ? { refused_since: since } : {}) };
}

/** Whether the provider works, whatever was wrong with this request. */
function isAtWork({ kind }: LanguageModelError): boolean {
  return kind === 'bad_request' || isFaultOfReply(kind);
}

/**
 * A circuit breaker for one model: once the provider refuses everybody, calls wait, and one at a time asks again, after
 * 1 s, 2 s, … up to a minute, or as long as the provider says. When one is answered the others follow, twice as many with
 * each round. Meanwhile refusals are forgiven: an outage uses up no attempts of a call. One that has failed before is
 * forgiven where the provider has refused it each time, and has answered nothing since: otherwise the fault may be its own.
 *
 * Invariant: calls go in the order they came; one that has a turn ends it.
 */
export class Outage {
  private readonly now: () => number;
  private readonly random: () => number;
  private readonly hear: HearAway;
  private state: 'closed' | 'open' | 'easing' = 'closed';
  private readonly waiting = new Set<Waiter>();
  /** Calls that were refused since the last answer came. */
  private readonly inARow = new Set<string>();
  /** When the newest request was sent that was answered, in milliseconds since 1970: some answers come late. */
  private answeredAt = Number.NEGATIVE_INFINITY;
  private inFlight = 0;
  /** Requests at once while it eases. */
  private window = 0;
  /** How often it has opened: what was sent before tells nothing of how it stands now. */
  private openings = 0;
  private openedAt = 0;
  private pause = FIRST_PAUSE;
  private isDue = false;
  private timer: NodeJS.Timeout | undefined;
  private current: Away | null = null;
  private last: LanguageModelError | null = null;

  constructor({
    hear = () => undefined,
    now = () => performance.now(),
    random = Math.random,
  }: OutageOptions = {}) {
    this.hear = hear;
    this.now = now;
    this.random = random;
  }

  /** Whether calls wait for one that asks again. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** @throws WaitedTooLong, or the signal's reason. */
  turn(options: TurnOptions = {}): Promise<Turn> {
    const { signal, hear } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.admits()) return Promise.resolve(this.begin(hear));
    if (this.current !== null) hear?.(this.current);
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
          resolve(this.begin(hear));
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

  private begin(hear?: HearAway): Turn {
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
      answered: () => end(undefined, () => (tellsNow() ? this.answer(sent, hear) : undefined)),
      failed: (key, before, error) =>
        end(false, () => {
          if (isAtWork(error)) {
            if (tellsNow()) this.answer(sent, hear);
            return false;
          }
          return this.fail({ key, before, tellsNow: tellsNow() }, error);
        }),
      dropped: () => end(undefined, () => this.goOn(tellsNow())),
    };
  }

  private answer(sent: number, hear?: HearAway): void {
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
      for (const listener of [this.hear, hear, ...this.listeners()]) listener?.(null);
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
    const isForgivable = this.isOpen && this.now() - this.openedAt < FORGIVEN_FOR;
    return isRefused && isForgivable && this.hasAnsweredNothingSince(before);
  }

  private hasAnsweredNothingSince({
    failures,
    refused_since = Number.NEGATIVE_INFINITY,
  }: FailedBefore): boolean {
    return failures === 0 || refused_since > this.answeredAt;
  }

  /**
   * Whether refusals have come in a row so often that they are none of the requests' own. Where nobody asks beside a call,
   * as with one lane or one memory for all, its own are all that can be known.
   */
  private isRefusingAll(before: FailedBefore): boolean {
    if (this.inARow.size >= this.bearable()) return true;
    const { failures, refused_since } = before;
    const own = refused_since !== undefined && this.hasAnsweredNothingSince(before) ? failures + 1 : 1;
    return this.inFlight === 0 && own >= REFUSED_ALONE;
  }

  /** Refused calls in a row from which on the provider counts as away. The call that was refused is one of its peers. */
  private bearable(): number {
    const peers = this.state === 'easing' ? this.window : this.inFlight + 1;
    return Math.max(FEWEST_REFUSED, Math.min(MOST_REFUSED, Math.ceil(peers / 2)));
  }

  private open({ retryAfterMs }: LanguageModelError): void {
    // One that answered a few requests and refuses again has not come back.
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
    this.hear(this.current);
    for (const listener of this.listeners()) listener(this.current);
    this.schedule(error.retryAfterMs);
  }

  private listeners(): HearAway[] {
    return [...this.waiting].flatMap(({ hear }) => hear ?? []);
  }

  /** The next request in a while: not all workers at once. */
  private schedule(retryAfterMs = 0): void {
    clearTimeout(this.timer);
    const pause = Math.max(this.pause * (0.75 + this.random() / 2), retryAfterMs);
    this.timer = setTimeout(() => this.probe(), pause);
    // Whoever waits keeps the process alive.
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
