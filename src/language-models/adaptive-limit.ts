import { LanguageModelError } from './errors.js';

/** Outcome of a call, as far as it concerns the limit. */
export type CallOutcome = 'success' | 'rate_limited' | 'server_error' | 'other';

/** Frees the place of a call. Only the first call has an effect. */
export type Release = (outcome: CallOutcome) => void;

export interface AdaptiveLimitOptions {
  /** Maximum of calls in flight; the limit starts here and never grows above it. */
  maximum: number;
  /** Calls in flight that a shrinking limit always allows; 1 by default. */
  minimum?: number;
  /** Factor of the limit on a 429; 0.8 by default. */
  cutFactor?: number;
  /** Milliseconds between two cuts: the 429s of one burst are one event. 15,000 by default. */
  coolDownMs?: number;
  /** Milliseconds without growth after a 429 or a 5xx; 15,000 by default. */
  growthPauseMs?: number;
  /** Monotonic clock in milliseconds. */
  now?: () => number;
}

interface Waiter {
  admit(): void;
}

/** Classifies an error by what it implies about the provider's load. */
export function callOutcome(error: unknown): CallOutcome {
  if (!(error instanceof LanguageModelError)) return 'other';
  if (error.kind === 'rate_limited') return 'rate_limited';
  return error.kind === 'overloaded' || error.kind === 'server' ? 'server_error' : 'other';
}

/**
 * Limit of the calls in flight of one worker process, adapted to what the provider accepts: ×0.8 on a 429, at most once
 * per cool-down; +1 for every full round of successes, up to the maximum (AIMD, as in TCP; the numbers are those of
 * Inspect AI's adaptive concurrency).
 *
 * Invariant: waiters are admitted in order of arrival; every admitted one gets a release.
 */
export class AdaptiveLimit {
  private readonly options: Required<AdaptiveLimitOptions>;
  // Iterates in insertion order, and removes an aborted waiter in constant time.
  private readonly queue = new Set<Waiter>();
  private currentLimit: number;
  private active = 0;
  private successes = 0;
  private nextCutAt = Number.NEGATIVE_INFINITY;
  private growthFrom = Number.NEGATIVE_INFINITY;

  constructor(options: AdaptiveLimitOptions) {
    this.options = {
      minimum: 1,
      cutFactor: 0.8,
      coolDownMs: 15_000,
      growthPauseMs: 15_000,
      now: () => performance.now(),
      ...options,
    };
    this.currentLimit = options.maximum;
  }

  /** Calls that may be in flight now. */
  get limit(): number {
    return this.currentLimit;
  }

  get inFlight(): number {
    return this.active;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Waits for a place.
   * @throws the signal's reason when it aborts first; no place is taken then.
   */
  acquire(signal?: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = () => {
        this.queue.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener('abort', abandon);
          this.active++;
          resolve(this.releaseOnce());
        },
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.queue.add(waiter);
      this.admitNext();
    });
  }

  private releaseOnce(): Release {
    let released = false;
    return (outcome) => {
      if (released) return;
      released = true;
      this.active--;
      this.learn(outcome);
      this.admitNext();
    };
  }

  private learn(outcome: CallOutcome): void {
    const { minimum, maximum, cutFactor, coolDownMs, growthPauseMs, now } = this.options;
    const time = now();
    if (outcome === 'rate_limited' || outcome === 'server_error') {
      this.growthFrom = time + growthPauseMs;
      this.successes = 0;
    }
    if (outcome === 'rate_limited' && time >= this.nextCutAt) {
      this.nextCutAt = time + coolDownMs;
      this.currentLimit = Math.max(minimum, Math.floor(this.currentLimit * cutFactor));
    }
    if (outcome === 'success' && time >= this.growthFrom && this.currentLimit < maximum) {
      this.successes++;
      if (this.successes >= this.currentLimit) {
        this.successes = 0;
        this.currentLimit++;
      }
    }
  }

  private admitNext(): void {
    for (const waiter of this.queue) {
      if (this.active >= this.currentLimit) return;
      this.queue.delete(waiter);
      waiter.admit();
    }
  }
}
