import { type Asked, AWAY_TOLD_AGAIN_MS, type AwayNotice, type RunPhase } from '../contracts/experiment.js';
import { MAX_CONCURRENCY } from '../contracts/names.js';
import type { Outcome } from './conduct.js';
import { ApplicationFailure } from './sdk.js';

const GOING: readonly RunPhase[] = ['preparing', 'running', 'paused', 'stopping'];

/** Milliseconds after which what is away is told no more: who told of it has died, it seems. */
const BELIEVED_FOR = 2.5 * AWAY_TOLD_AGAIN_MS;

/**
 * Where an experiment stands: what people ask of it, and what keeps it from going on. What is asked while it is prepared
 * holds once it begins, and what is asked of an execution that continues another comes after what the other was asked.
 */
export class Standing {
  phase: RunPhase = 'preparing';
  private paused = false;
  private stopping = false;
  private exhausted: string | null = null;
  private fatal: string | null = null;
  /** null until somebody asks for it or the plan says it. */
  private atOnce: number | null = null;
  /** What it waits for, and when it was told so last, in milliseconds since 1970. */
  private readonly away = new Map<string, { message: string; told: number }>();

  /**
   * @param what names the experiment in messages: `run`, for one
   * @param before what the execution before hands over, when this one continues it.
   */
  constructor(
    private readonly what: string,
    before?: Asked,
  ) {
    if (before === undefined) return;
    this.paused = before.paused;
    this.stopping = before.stopping;
    this.exhausted = before.exhausted;
    this.atOnce = before.concurrency;
  }

  /** @param concurrency of the plan, where nobody has asked for another. */
  begin(concurrency: number): void {
    this.atOnce ??= concurrency;
    this.phase = this.current();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (this.phase !== 'preparing') this.phase = this.current();
  }

  stop(): void {
    this.stopping = true;
    if (this.phase !== 'preparing') this.phase = this.current();
  }

  /** @returns what it was; 0 where nothing was said yet. */
  setConcurrency(concurrency: number): number {
    const before = this.atOnce ?? 0;
    this.atOnce = concurrency;
    return before;
  }

  /** A limit is reached. The first one counts. */
  exhaust(why: string): void {
    this.exhausted ??= why;
  }

  /** Nothing further can succeed. The first reason counts. */
  fail(why: string): void {
    this.fatal ??= why;
  }

  /** Something outside of it is away, or there again. */
  hearAway({ what, message }: AwayNotice, told: number): void {
    if (message === null) this.away.delete(what);
    else this.away.set(what, { message, told });
  }

  /** Whether more may be begun, now or when the experiment is resumed. */
  goesOn(): boolean {
    return !this.stopping && this.exhausted === null && this.fatal === null;
  }

  /** Whether one more may be begun beside so many. */
  hasRoom(going: number): boolean {
    return this.goesOn() && !this.paused && going < this.concurrency;
  }

  /** Whether what is in flight waits. A stop ends a pause: what is in flight ends, then. */
  waits(): boolean {
    return this.paused && !this.stopping;
  }

  /** Whether anybody or anything keeps it from beginning more. */
  isHeld(): boolean {
    return this.paused || !this.goesOn();
  }

  isExhausted(): boolean {
    return this.exhausted !== null;
  }

  hasFailed(): boolean {
    return this.fatal !== null;
  }

  /** Whether no further call may be made, not even by what is in flight. */
  isOver(): boolean {
    return this.exhausted !== null || this.fatal !== null;
  }

  /** The most that may be worked on at once; 1 until it is known. */
  get concurrency(): number {
    return this.atOnce ?? 1;
  }

  /** Why it does not go on; null where nothing but people hold it. */
  get message(): string | null {
    return this.fatal ?? this.exhausted ?? this.waitsFor(Date.now());
  }

  private waitsFor(now: number): string | null {
    if (!GOING.includes(this.phase)) return null;
    const away = [...this.away].filter(([, { told }]) => now - told < BELIEVED_FOR);
    if (away.length === 0) return null;
    return `waiting for ${away.map(([what, { message }]) => `${what}: ${message}`).join('; ')}`;
  }

  asked(): Asked {
    const { paused, stopping, exhausted, concurrency } = this;
    return { paused, stopping, exhausted, concurrency };
  }

  /** How it ended: why it failed or which limit it met comes before that somebody stopped it. */
  outcome(cancelled: boolean): Outcome {
    if (cancelled) return { status: 'cancelled', message: 'the workflow was cancelled' };
    if (this.fatal !== null) return { status: 'failed', message: this.fatal };
    if (this.exhausted !== null) return { status: 'limit_reached', message: this.exhausted };
    if (this.stopping) return { status: 'stopped', message: 'stopped on request' };
    return { status: 'done', message: null };
  }

  /** @throws ApplicationFailure where nothing can be asked of it any more. */
  assertGoing(): void {
    if (GOING.includes(this.phase)) return;
    throw ApplicationFailure.nonRetryable(`the ${this.what} is over (${this.phase})`);
  }

  /** @throws ApplicationFailure where so many at once cannot be asked of it. */
  assertConcurrency(concurrency: number): void {
    this.assertGoing();
    if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MAX_CONCURRENCY) return;
    throw ApplicationFailure.nonRetryable(`concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}`);
  }

  private current(): RunPhase {
    if (this.stopping) return 'stopping';
    return this.paused ? 'paused' : 'running';
  }
}
