import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { StepCost } from '../contracts/step-cost.js';

/** Notes that the attempts of an activity pass on to the next attempt, in heartbeats. */
export interface AttemptNotes {
  /** Attempts that ended by themselves, with a failure. */
  ended: number;
  /** Attempts that began alone in their worker, as the server knows, and did not end by themselves; absent: none. */
  alone?: number;
  /** What a bundle of units is working on, in words. */
  details?: string;
  /** Notes of each part of the activity. */
  parts: Record<string, object>;
}

/**
 * Lost workers after which an activity is suspected of crashing them. Any of the activities in a worker may have
 * crashed it, so a suspect runs alone from then on; if three more workers die meanwhile, it is given up. Some may have
 * been killed by somebody.
 */
const SUSPECTED_FROM = 2;
const GIVEN_UP_FROM = 3;

/** Milliseconds between two heartbeats; the shortest heartbeat timeout of activities is 10 s. */
const INTERVAL = 3000;

const journals = new WeakMap<Context, AttemptJournal>();

/** Reads the notes of earlier attempts of an activity and writes those for later ones. */
export class AttemptJournal {
  readonly notes: AttemptNotes;
  /** Workers that died while it was alone in them. */
  readonly diedAlone: number;
  private hasEnded = false;
  private isAlone = false;

  /** Returns the journal of an attempt; there is one for each. */
  static of(context: Context = Context.current()): AttemptJournal {
    const journal = journals.get(context) ?? new AttemptJournal(context);
    journals.set(context, journal);
    return journal;
  }

  private constructor(readonly context: Context) {
    this.notes = { ended: 0, parts: {}, ...(context.info.heartbeatDetails as Partial<AttemptNotes>) };
    this.diedAlone = this.notes.alone ?? 0;
  }

  /** Returns the notes of one part of the activity, to be changed in place. @param begin notes for the first attempt */
  part<Notes extends object>(name: string, begin: Notes): Notes {
    const notes = { ...begin, ...this.notes.parts[name] };
    this.notes.parts[name] = notes;
    return notes;
  }

  /** Attempts that ended because their worker died or lost its connection. */
  get lost(): number {
    return Math.max(this.context.info.attempt - 1 - this.notes.ended, 0);
  }

  /** Lost attempts that may have crashed their worker: not those of a suspect that was lost before it ran alone. */
  get crashes(): number {
    return Math.min(this.lost, SUSPECTED_FROM) + this.diedAlone;
  }

  /** True if the activity runs alone. */
  get isSuspect(): boolean {
    return !this.isGivenUp && this.lost >= SUSPECTED_FROM;
  }

  /** True if the activity is given up, so that it crashes no further worker. */
  get isGivenUp(): boolean {
    return this.diedAlone >= GIVEN_UP_FROM;
  }

  /** Notes that the attempt begins alone in its worker. */
  beginAlone(): void {
    this.isAlone = true;
    this.notes.alone = this.diedAlone + 1;
  }

  /** Sends the notes to the server, with the next heartbeat at the latest. */
  write(): void {
    this.context.heartbeat(this.notes);
  }

  /** Notes once that the attempt ends with a failure. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.notes.ended += 1;
    if (this.isAlone) this.notes.alone = this.diedAlone || undefined;
    this.write();
  }
}

/** Sends heartbeats while an activity works, and notes a failure, so that it does not count as a crash. */
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

/** Creates the failure of an activity that is given up after crashes. @param cost spent on its requests */
export function workerCrash(crashes: number, cost?: StepCost): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.workerCrash,
    message: `given up: ${crashes} workers died while they worked on it, the last three on nothing else`,
    details: cost === undefined ? [] : [cost],
    nonRetryable: true,
  });
}
