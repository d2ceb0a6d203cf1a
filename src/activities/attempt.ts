import { Context } from '@temporalio/activity';
import type { CallRecord } from '../contracts/language-model.js';
import type { AskedBefore, StepCost, Unkept } from '../contracts/step-cost.js';
import { addUnkept, timesRequested } from '../runtime/beside.js';
import { costOfCall } from '../runtime/step-cost.js';
import { heartbeating } from './heartbeating.js';
import { activityNameOf } from './unkept.js';

/** What an attempt of an activity that asks a model leaves for the next one, in its heartbeats. */
export interface AttemptNotes {
  /** Attempts that ended with a provider's failure. */
  failures: number;
  /** Attempts that ended before they had asked for anything, as where the store was away. */
  unasked: number;
  /** What the failed ones may have cost; absent where there was none. */
  unkept?: Unkept;
}

/** What one request comes to. */
type Price = Pick<CallRecord, 'usage' | 'cost_usd'>;

/** An attempt of an activity that asks a model, and what is known of those before it. */
export class Attempt {
  private hasAsked = false;
  /** What those may have cost that a crash cut off. */
  private cutOff: Unkept | null = null;
  /** Of the activity; see `activityNameOf`. */
  readonly activity = activityNameOf(Context.current());

  private constructor(
    private readonly notes: AttemptNotes,
    private readonly before: AskedBefore | undefined,
  ) {}

  /**
   * Runs the attempt that this activity's context is of, heartbeating.
   * @param before where each request is an activity: what those of the same call before this one came to.
   */
  static async run<Value>(work: (attempt: Attempt) => Promise<Value>, before?: AskedBefore): Promise<Value> {
    const context = Context.current();
    const left = context.info.heartbeatDetails as Partial<AttemptNotes> | undefined;
    const notes: AttemptNotes = { ...left, failures: left?.failures ?? 0, unasked: left?.unasked ?? 0 };
    const attempt = new Attempt(notes, before);
    try {
      return await heartbeating(() => work(attempt), notes);
    } catch (error) {
      if (!attempt.hasAsked) {
        notes.unasked += 1;
        context.heartbeat(notes);
      }
      throw error;
    }
  }

  /** Whether the activity ends with its first request, whatever comes of it: the next one needs leave of its own. */
  get isSingle(): boolean {
    return this.before !== undefined;
  }

  /** Requests for this call that ended with a provider's failure. */
  get failures(): number {
    return (this.before?.failures ?? 0) + this.notes.failures;
  }

  /** Requests for this call that a crash may have cut off: they may have been answered, and paid. */
  get crashes(): number {
    return (this.before?.crashes ?? 0) + this.ownCrashes;
  }

  /** The same where the reply is stored already: one of them has brought it. */
  get crashesBesideReply(): number {
    return Math.max(this.crashes - 1, 0);
  }

  /** What this activity has spent on requests whose reply is not kept; null where there was none. */
  get unkept(): Unkept | null {
    return addUnkept(this.notes.unkept, this.cutOff);
  }

  /** Of those that this activity has sent. */
  private get ownCrashes(): number {
    const { failures, unasked } = this.notes;
    return Math.max(Context.current().info.attempt - 1 - failures - unasked, 0);
  }

  /** A request is sent. */
  asks(): void {
    this.hasAsked = true;
  }

  /**
   * The request failed.
   * @param unkept what it may have cost; null where it was never sent.
   * @returns how many have, with this one.
   */
  failed(unkept: Unkept | null): number {
    this.hasAsked = true;
    this.notes.failures += 1;
    const all = addUnkept(this.notes.unkept, unkept);
    if (all !== null) this.notes.unkept = all;
    Context.current().heartbeat(this.notes);
    return this.failures;
  }

  /** There is a reply, or none will come: each request that a crash has cut off may have cost as much. */
  concludes(price: Price): void {
    this.cutOff = timesRequested(this.ownCrashes, price);
  }

  /** The reply is stored already: one of those requests may have brought it. */
  finds(price: Price): void {
    this.cutOff = timesRequested(Math.max(this.ownCrashes - 1, 0), price);
  }

  /** What a reply has cost, and what this activity has spent beside it. */
  costOf(record: CallRecord): StepCost {
    const { unkept } = this;
    return { ...costOfCall(record), ...(unkept === null ? {} : { unkept }) };
  }
}
