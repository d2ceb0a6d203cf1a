import { Context } from '@temporalio/activity';
import { heartbeating } from './heartbeating.js';

/** What an attempt of an activity that asks a model leaves for the next one, in its heartbeats. */
export interface AttemptNotes {
  /** Attempts that ended with a provider's failure. */
  failures: number;
  /** Attempts that ended before they had asked for anything, as where the store was away. */
  unasked: number;
}

/** An attempt of an activity that asks a model, and what is known of those before it. */
export class Attempt {
  private hasAsked = false;

  private constructor(private readonly notes: AttemptNotes) {}

  /** Runs the attempt that this activity's context is of, heartbeating. */
  static async run<Value>(work: (attempt: Attempt) => Promise<Value>): Promise<Value> {
    const context = Context.current();
    const left = context.info.heartbeatDetails as Partial<AttemptNotes> | undefined;
    const notes = { failures: left?.failures ?? 0, unasked: left?.unasked ?? 0 };
    const attempt = new Attempt(notes);
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

  get failures(): number {
    return this.notes.failures;
  }

  /** Attempts that a crash may have cut off while they asked: their requests may have been answered, and paid. */
  get crashes(): number {
    const { failures, unasked } = this.notes;
    return Math.max(Context.current().info.attempt - 1 - failures - unasked, 0);
  }

  /** The same where the reply is stored already: one of them has brought it. */
  get crashesBesideReply(): number {
    return Math.max(this.crashes - 1, 0);
  }

  /** A request is sent. */
  asks(): void {
    this.hasAsked = true;
  }

  /** The request failed. @returns how many have, with this one. */
  failed(): number {
    this.hasAsked = true;
    this.notes.failures += 1;
    Context.current().heartbeat(this.notes);
    return this.notes.failures;
  }
}
