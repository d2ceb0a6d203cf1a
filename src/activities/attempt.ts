import type { CallRecord, GenerateRequest } from '../contracts/language-model.js';
import type {
  AskedBefore,
  CutOffAttempts,
  FailedBefore,
  StepCost,
  Unrecorded,
} from '../contracts/step-cost.js';
import { withFailure } from '../language-models/outage.js';
import { addUnrecorded, timesRequested } from '../runtime/beside.js';
import { costOfCall } from '../runtime/step-cost.js';
import { AttemptJournal, heartbeating } from './attempt-journal.js';
import { activityNameOf } from './unrecorded.js';

/** Notes that attempts of an activity that requests a model pass on to the next attempt. */
interface ModelNotes extends FailedBefore {
  /** Attempts that ended before they sent a request, for example because the store was unreachable. */
  unasked: number;
  /** Possible cost of the failed requests; absent if there were none. */
  unrecorded?: Unrecorded;
  /** Number of the attempt whose request is in flight; absent if none is. */
  sent?: number;
  /** Attempts that were cut off while their request was in flight. */
  cut: number;
  /** Pending reply, which the store has not accepted yet, without its request; and the requests cut off before it. */
  held?: { reply: PendingReply; crashes: number };
}

type PendingReply = Omit<CallRecord, 'messages' | 'tools' | 'parameters'>;

/** Maximum bytes of a pending reply kept by the server; a longer one is kept only in the worker. */
const MAX_PENDING = 32_768;

/** Usage and cost of one request. */
type Price = Pick<CallRecord, 'usage' | 'cost_usd'>;

/** Attempt of an activity that requests a model, with its knowledge of earlier attempts. */
export class Attempt {
  private hasAsked = false;
  /** Possible cost of the requests that a crash cut off. */
  private lost: Unrecorded | null = null;
  /** Stored reply that was found, and who has paid for it; null: none was. */
  private foundAs: 'counted' | 'this execution' | null = null;
  private readonly journal = AttemptJournal.of();
  private readonly notes: ModelNotes;
  /** Attempts that were lost before they began. */
  private readonly idle: number;
  /** Name of the activity; see `activityNameOf`. */
  readonly activity = activityNameOf(this.journal.context);

  private constructor(private readonly before: AskedBefore | undefined) {
    this.idle = this.journal.lost - this.journal.crashes;
    this.notes = this.journal.part<ModelNotes>('model', { failures: 0, unasked: 0, cut: 0 });
    if (this.notes.sent === undefined) return;
    this.notes.cut += 1;
    delete this.notes.sent;
  }

  /**
   * Runs the attempt of the current activity context, with heartbeats.
   * @param before if each request is an activity of its own: outcome of earlier requests of the same call.
   */
  static async run<Value>(work: (attempt: Attempt) => Promise<Value>, before?: AskedBefore): Promise<Value> {
    const attempt = new Attempt(before);
    try {
      return await heartbeating(() => work(attempt));
    } catch (error) {
      if (!attempt.hasAsked && attempt.notes.held === undefined) {
        attempt.notes.unasked += 1;
        attempt.journal.write();
      }
      throw error;
    }
  }

  /** True if the activity ends after its first request, whatever the outcome: the next request needs its own grant. */
  get isSingle(): boolean {
    return this.before !== undefined;
  }

  /** Workers that died with this activity, if it is given up for that; otherwise null. */
  get deadWorkers(): number | null {
    return this.journal.isGivenUp ? this.journal.crashes : null;
  }

  /** Failures of earlier requests for this call. */
  get soFar(): FailedBefore {
    const { failures, refused_since } = this.notes;
    const before: FailedBefore = this.before ?? { failures: 0 };
    const since = failures === 0 ? before.refused_since : refused_since;
    return { failures: before.failures + failures, ...(since === undefined ? {} : { refused_since: since }) };
  }

  /** Requests for this call that a crash may have cut off: they may have been answered and charged. */
  get cutOff(): CutOffAttempts {
    const own = this.ownCrashes;
    const { crashes = 0, sent = 0 } = this.before ?? {};
    // The server may know of a dead worker before it receives the worker's last note of a sent request.
    return { crashes: crashes + own, sent: sent + Math.min(this.notes.cut, own) };
  }

  /** Cut-off requests if the reply is already stored: one of them brought it. */
  get cutOffBesideReply(): CutOffAttempts {
    const { crashes, sent } = this.cutOff;
    return { crashes: Math.max(crashes - 1, 0), sent: Math.max(sent - 1, 0) };
  }

  /** Amount that this activity spent on requests whose reply was not kept; null if there were none. */
  get unrecorded(): Unrecorded | null {
    return addUnrecorded(this.notes.unrecorded, this.lost);
  }

  /** Requests of this activity that a crash may have cut off. */
  private get ownCrashes(): number {
    const { failures, unasked, held } = this.notes;
    const { attempt } = this.journal.context.info;
    return held?.crashes ?? Math.max(attempt - 1 - failures - unasked - this.idle, 0);
  }

  /** Requests that a crash may have cut off, and that are booked nowhere. */
  private get unbooked(): number {
    return this.ownCrashes + (this.before?.unbooked ?? 0);
  }

  /** Notes that a request is sent. */
  asks(): void {
    this.hasAsked = true;
    this.notes.sent = this.journal.context.info.attempt;
  }

  /**
   * Notes that the request failed.
   * @param unrecorded its possible cost; null if it was never sent.
   */
  failed(error: unknown, unrecorded: Unrecorded | null): void {
    this.hasAsked = true;
    const { refused_since } = withFailure(this.soFar, error);
    this.notes.failures += 1;
    delete this.notes.sent;
    delete this.notes.refused_since;
    if (refused_since !== undefined) this.notes.refused_since = refused_since;
    this.note(unrecorded);
  }

  /** Notes that the request was refused in an outage: that is no failure of this call, and none is in flight. */
  forgiven(unrecorded: Unrecorded | null): void {
    this.hasAsked = false;
    delete this.notes.sent;
    this.note(unrecorded);
  }

  /** Notes a pending reply, which the store does not accept. */
  holds({ messages, tools, parameters, ...reply }: CallRecord): void {
    if (Buffer.byteLength(JSON.stringify(reply)) > MAX_PENDING) return;
    this.notes.held ??= { reply, crashes: this.ownCrashes };
    delete this.notes.sent;
    this.journal.write();
  }

  /** Returns the reply to this request that an earlier attempt could not store; null if there is none. */
  leftFor({ key, request }: { key: string; request: GenerateRequest }): CallRecord | null {
    const reply = this.notes.held?.reply;
    if (reply?.key !== key) return null;
    const { messages, tools, parameters } = request;
    return { ...reply, messages, ...(tools === undefined ? {} : { tools }), parameters };
  }

  private note(unrecorded: Unrecorded | null): void {
    const all = addUnrecorded(this.notes.unrecorded, unrecorded);
    if (all !== null) this.notes.unrecorded = all;
    this.journal.write();
  }

  /** Notes that a reply came, or that none will come: each request that a crash cut off may have cost as much. */
  concludes(price: Price): void {
    this.lost = timesRequested(this.unbooked, price);
  }

  /**
   * Notes that the reply is already stored: one of the cut-off requests may have brought it.
   * @param isCounted an earlier execution paid for it, and it is part of the experiment's initial totals.
   */
  finds(price: Price, isCounted: boolean): void {
    this.foundAs = isCounted ? 'counted' : 'this execution';
    this.lost = timesRequested(Math.max(this.unbooked - 1, 0), price);
  }

  /** True if the reply was counted before this execution began. */
  get isCounted(): boolean {
    return this.foundAs === 'counted';
  }

  /** True if the reply was stored before this activity looked for it. */
  get isFound(): boolean {
    return this.foundAs !== null;
  }

  /** Returns the cost of a reply, with the amount that this activity spent in addition. */
  costOf(record: CallRecord): StepCost {
    const { unrecorded, isCounted } = this;
    const cost = costOfCall(record);
    return {
      ...cost,
      ...(unrecorded === null ? {} : { unrecorded }),
      ...(isCounted ? { counted: cost } : {}),
    };
  }
}
