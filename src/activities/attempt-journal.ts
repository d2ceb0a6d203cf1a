import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { StepCost } from '../contracts/step-cost.js';

/** What the attempts of an activity leave for the next one, in their heartbeats. */
export interface AttemptNotes {
  /** Attempts that ended by themselves, with a failure. */
  ended: number;
  /** Set before an attempt begins alone in its worker, as the server has heard; absent where none has, or it ended. */
  alone?: 'begun' | 'died';
  /** What each part of the activity notes. */
  parts: Record<string, object>;
}

/**
 * Workers that an activity may take along until it is suspected: whoever was beside it when one died cannot be told from
 * it, so from then on it runs alone, and where another worker dies it is given up.
 */
const SUSPECTED_FROM = 2;

/** Milliseconds between two signs of life; the shortest heartbeat timeout of activities is 10 s. */
const INTERVAL = 3000;

const journals = new WeakMap<Context, AttemptJournal>();

/** Keeps what an attempt of an activity finds of earlier ones, and leaves for later ones. */
export class AttemptJournal {
  readonly notes: AttemptNotes;
  private hasEnded = false;

  /** Finds the one journal of an attempt. */
  static of(context: Context = Context.current()): AttemptJournal {
    const journal = journals.get(context) ?? new AttemptJournal(context);
    journals.set(context, journal);
    return journal;
  }

  private constructor(readonly context: Context) {
    const { alone, ...left } = (context.info.heartbeatDetails ?? {}) as Partial<AttemptNotes>;
    this.notes = { ended: 0, parts: {}, ...left, ...(alone === undefined ? {} : { alone: 'died' }) };
  }

  /** Gives the notes of one part of the activity, to be changed in place. @param begin what its first attempt finds */
  part<Notes extends object>(name: string, begin: Notes): Notes {
    const notes = { ...begin, ...this.notes.parts[name] };
    this.notes.parts[name] = notes;
    return notes;
  }

  /** Attempts that ended with their worker, or with its connection. */
  get lost(): number {
    return Math.max(this.context.info.attempt - 1 - this.notes.ended, 0);
  }

  /** Those that may have been to blame: a suspect that was lost before it had begun alone is not. */
  get crashes(): number {
    return Math.min(this.lost, SUSPECTED_FROM) + Number(this.isGivenUp);
  }

  /** Whether it runs alone, and is given up should its worker die. */
  get isSuspect(): boolean {
    return !this.isGivenUp && this.lost >= SUSPECTED_FROM;
  }

  /** Whether no further worker is risked for it. */
  get isGivenUp(): boolean {
    return this.notes.alone === 'died';
  }

  /** Tells the server, by the next sign of life at the latest. */
  write(): void {
    this.context.heartbeat(this.notes);
  }

  /** Notes that the attempt ends with a failure, once. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.notes.ended += 1;
    if (this.notes.alone === 'begun') delete this.notes.alone;
    this.write();
  }
}

/** Gives signs of life while an activity works, and notes an end with a failure, which no crash has made. */
export async function heartbeating<Value>(work: () => Promise<Value>): Promise<Value> {
  const journal = AttemptJournal.of();
  const timer = setInterval(() => journal.write(), INTERVAL);
  try {
    return await work();
  } catch (error) {
    journal.end();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Ends an activity that has taken so many workers along. @param cost what it has spent on requests */
export function workerCrash(crashes: number, cost?: StepCost): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.workerCrash,
    message: `given up: ${crashes} workers died while they worked on it, the last time on nothing else`,
    details: cost === undefined ? [] : [cost],
    nonRetryable: true,
  });
}
