import type { CallRecord, GenerateRequest } from '../contracts/language-model.js';
import type { AskedBefore, CutOff, FailedBefore, StepCost, Unkept } from '../contracts/step-cost.js';
import { withFailure } from '../language-models/outage.js';
import { addUnkept, timesRequested } from '../runtime/beside.js';
import { costOfCall } from '../runtime/step-cost.js';
import { AttemptJournal, heartbeating } from './attempt-journal.js';
import { activityNameOf } from './unkept.js';

/** What attempts of an activity that asks a model leave for the next one. */
interface ModelNotes extends FailedBefore {
  /** Attempts that ended before they had asked for anything, as where the store was unreachable. */
  unasked: number;
  /** What the failed ones may have cost; absent where there was none. */
  unkept?: Unkept;
  /** The attempt whose request is in flight; absent: none. */
  sent?: number;
  /** Attempts that were cut off while theirs was. */
  cut: number;
  /** A reply that the store has not taken yet, without what was asked, and requests cut off before it. */
  held?: { reply: HeldReply; crashes: number };
}

type HeldReply = Omit<CallRecord, 'messages' | 'tools' | 'parameters'>;

/** Bytes of a reply that the server keeps; a longer one lives in the worker only. */
const MOST_HELD = 32_768;

/** What one request comes to. */
type Price = Pick<CallRecord, 'usage' | 'cost_usd'>;

/** An attempt of an activity that asks a model, and what is known of those before it. */
export class Attempt {
  private hasAsked = false;
  /** What those may have cost that a crash cut off. */
  private lost: Unkept | null = null;
  private hasFoundCounted = false;
  private readonly journal = AttemptJournal.of();
  private readonly notes: ModelNotes;
  /** Attempts that were lost before they had begun. */
  private readonly idle: number;
  /** Of the activity; see `activityNameOf`. */
  readonly activity = activityNameOf(this.journal.context);

  private constructor(private readonly before: AskedBefore | undefined) {
    this.idle = this.journal.lost - this.journal.crashes;
    this.notes = this.journal.part<ModelNotes>('model', { failures: 0, unasked: 0, cut: 0 });
    if (this.notes.sent === undefined) return;
    this.notes.cut += 1;
    delete this.notes.sent;
  }

  /**
   * Runs the attempt that this activity's context is of, heartbeating.
   * @param before where each request is an activity: what those of the same call before this one came to.
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

  /** Whether the activity ends with its first request, whatever comes of it: the next one needs leave of its own. */
  get isSingle(): boolean {
    return this.before !== undefined;
  }

  /** Workers that have died with this activity, where no further one is risked for it; null where one is. */
  get deadWorkers(): number | null {
    return this.journal.isGivenUp ? this.journal.crashes : null;
  }

  /** How requests for this call have failed. */
  get soFar(): FailedBefore {
    const { failures, refused_since } = this.notes;
    const before: FailedBefore = this.before ?? { failures: 0 };
    const since = failures === 0 ? before.refused_since : refused_since;
    return { failures: before.failures + failures, ...(since === undefined ? {} : { refused_since: since }) };
  }

  /** Requests for this call that a crash may have cut off: they may have been answered, and paid. */
  get cutOff(): CutOff {
    const own = this.ownCrashes;
    const { crashes = 0, sent = 0 } = this.before ?? {};
    // A worker is told from a dead one by what the server has heard of it, and may be late to say what it has sent.
    return { crashes: crashes + own, sent: sent + Math.min(this.notes.cut, own) };
  }

  /** The same where the reply is stored already: one of them has brought it. */
  get cutOffBesideReply(): CutOff {
    const { crashes, sent } = this.cutOff;
    return { crashes: Math.max(crashes - 1, 0), sent: Math.max(sent - 1, 0) };
  }

  /** What this activity has spent on requests whose reply is not kept; null where there was none. */
  get unkept(): Unkept | null {
    return addUnkept(this.notes.unkept, this.lost);
  }

  /** Of those that this activity has sent. */
  private get ownCrashes(): number {
    const { failures, unasked, held } = this.notes;
    const { attempt } = this.journal.context.info;
    return held?.crashes ?? Math.max(attempt - 1 - failures - unasked - this.idle, 0);
  }

  /** A request is sent. */
  asks(): void {
    this.hasAsked = true;
    this.notes.sent = this.journal.context.info.attempt;
  }

  /**
   * The request failed.
   * @param unkept what it may have cost; null where it was never sent.
   */
  failed(error: unknown, unkept: Unkept | null): void {
    this.hasAsked = true;
    const { refused_since } = withFailure(this.soFar, error);
    this.notes.failures += 1;
    delete this.notes.sent;
    delete this.notes.refused_since;
    if (refused_since !== undefined) this.notes.refused_since = refused_since;
    this.note(unkept);
  }

  /** The request was refused as everything is: that is no failure of this call, and nothing of it is under way. */
  forgiven(unkept: Unkept | null): void {
    this.hasAsked = false;
    delete this.notes.sent;
    this.note(unkept);
  }

  /** There is a reply, and the store does not take it. */
  holds({ messages, tools, parameters, ...reply }: CallRecord): void {
    if (Buffer.byteLength(JSON.stringify(reply)) > MOST_HELD) return;
    this.notes.held ??= { reply, crashes: this.ownCrashes };
    delete this.notes.sent;
    this.journal.write();
  }

  /** The reply to this question that an attempt before this one could not store; null where there is none. */
  leftFor({ key, request }: { key: string; request: GenerateRequest }): CallRecord | null {
    const reply = this.notes.held?.reply;
    if (reply?.key !== key) return null;
    const { messages, tools, parameters } = request;
    return { ...reply, messages, ...(tools === undefined ? {} : { tools }), parameters };
  }

  private note(unkept: Unkept | null): void {
    const all = addUnkept(this.notes.unkept, unkept);
    if (all !== null) this.notes.unkept = all;
    this.journal.write();
  }

  /** There is a reply, or none will come: each request that a crash has cut off may have cost as much. */
  concludes(price: Price): void {
    this.lost = timesRequested(this.ownCrashes, price);
  }

  /**
   * The reply is stored already: one of those requests may have brought it.
   * @param isCounted an earlier execution has paid for it, and the experiment's totals began with it.
   */
  finds(price: Price, isCounted: boolean): void {
    this.hasFoundCounted = isCounted;
    this.lost = timesRequested(Math.max(this.ownCrashes - 1, 0), price);
  }

  /** Whether its reply was counted before this execution began. */
  get isCounted(): boolean {
    return this.hasFoundCounted;
  }

  /** What a reply has cost, and what this activity has spent beside it. */
  costOf(record: CallRecord): StepCost {
    const { unkept, isCounted } = this;
    const cost = costOfCall(record);
    return { ...cost, ...(unkept === null ? {} : { unkept }), ...(isCounted ? { counted: cost } : {}) };
  }
}
