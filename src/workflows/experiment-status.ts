import {
  type ReceivedRequests,
  type RunPhase,
  UNREACHABLE_REPEAT_MS,
  type UnreachableNotice,
} from '../contracts/experiment.js';
import { MAX_CONCURRENCY } from '../contracts/names.js';
import type { ExperimentOutcome } from './conduct.js';
import { ApplicationFailure } from './sdk.js';

const GOING: readonly RunPhase[] = ['preparing', 'running', 'paused', 'stopping'];

/** Milliseconds after which a notice of something unreachable expires: the worker that sent it has probably died. */
const BELIEVED_FOR = 2.5 * UNREACHABLE_REPEAT_MS;

/**
 * Status of an experiment: people's requests to it, and what prevents it from continuing. Requests received during
 * preparation apply once it begins; a continued execution starts with the requests of the execution before.
 */
export class ExperimentStatus {
  phase: RunPhase = 'preparing';
  private paused = false;
  private stopping = false;
  private exhausted: string | null = null;
  /** True if it ends because enough is known. */
  private decided = false;
  private fatal: string | null = null;
  /** null until a person or the plan sets it. */
  private atOnce: number | null = null;
  /** Unreachable things that the experiment waits for, with the time of the last notice in milliseconds since 1970. */
  private readonly unreachable = new Map<string, { message: string; told: number }>();

  /**
   * @param what name of the experiment in messages, such as `run`
   * @param before requests to the execution before, if this one continues it.
   */
  constructor(
    private readonly what: string,
    before?: ReceivedRequests,
  ) {
    if (before === undefined) return;
    this.paused = before.paused;
    this.stopping = before.stopping;
    this.exhausted = before.exhausted;
    this.atOnce = before.concurrency;
  }

  /** @param concurrency of the plan, used unless a person has set another. */
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

  /** @returns the previous value; 0 if there was none. */
  setConcurrency(concurrency: number): number {
    const before = this.atOnce ?? 0;
    this.atOnce = concurrency;
    return before;
  }

  /** Notes that a limit is reached. The first reason counts. */
  exhaust(why: string): void {
    this.exhausted ??= why;
  }

  /** Notes that enough is known. */
  decide(why: string): void {
    if (this.exhausted !== null) return;
    this.exhaust(why);
    this.decided = true;
  }

  /** Notes that nothing further can succeed. The first reason counts. */
  fail(why: string): void {
    this.fatal ??= why;
  }

  /** Notes that something outside is unreachable, or reachable again. */
  onUnreachable({ what, message }: UnreachableNotice, told: number): void {
    if (message === null) this.unreachable.delete(what);
    else this.unreachable.set(what, { message, told });
  }

  /** Reports whether more may be begun, now or when the experiment is resumed. */
  continues(): boolean {
    return !this.stopping && this.exhausted === null && this.fatal === null;
  }

  /** Reports whether one more may be begun. @param going number in flight */
  hasRoom(going: number): boolean {
    return this.continues() && !this.paused && going < this.concurrency;
  }

  /** Reports whether what is in flight waits. A stop ends a pause, so that what is in flight can end. */
  waits(): boolean {
    return this.paused && !this.stopping;
  }

  /** Reports whether a pause, a stop, a limit or a failure prevents it from beginning more. */
  isHeld(): boolean {
    return this.paused || !this.continues();
  }

  isExhausted(): boolean {
    return this.exhausted !== null;
  }

  hasFailed(): boolean {
    return this.fatal !== null;
  }

  /** Reports whether no further call may be made, not even by what is in flight. */
  isOver(): boolean {
    return this.exhausted !== null || this.fatal !== null;
  }

  /** Maximum number in flight at once; 1 until it is known. */
  get concurrency(): number {
    return this.atOnce ?? 1;
  }

  /** Reason why it does not continue; null if only people prevent it. */
  get message(): string | null {
    return this.fatal ?? this.exhausted ?? this.waitsFor(Date.now());
  }

  private waitsFor(now: number): string | null {
    if (!GOING.includes(this.phase)) return null;
    const unreachable = [...this.unreachable].filter(([, { told }]) => now - told < BELIEVED_FOR);
    if (unreachable.length === 0) return null;
    return `waiting for ${unreachable.map(([what, { message }]) => `${what}: ${message}`).join('; ')}`;
  }

  asked(): ReceivedRequests {
    const { paused, stopping, exhausted, concurrency } = this;
    return { paused, stopping, exhausted, concurrency };
  }

  /** Returns the outcome: a failure or a reached limit takes precedence over a stop. */
  outcome(cancelled: boolean): ExperimentOutcome {
    if (cancelled) return { status: 'cancelled', message: 'the workflow was cancelled' };
    if (this.fatal !== null) return { status: 'failed', message: this.fatal };
    if (this.exhausted !== null)
      return { status: this.decided ? 'decided' : 'limit_reached', message: this.exhausted };
    if (this.stopping) return { status: 'stopped', message: 'stopped on request' };
    return { status: 'done', message: null };
  }

  /** @throws ApplicationFailure if the experiment is over and takes no more requests. */
  assertGoing(): void {
    if (GOING.includes(this.phase)) return;
    throw ApplicationFailure.nonRetryable(`the ${this.what} is over (${this.phase})`);
  }

  /** @throws ApplicationFailure if this concurrency cannot be set. */
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
