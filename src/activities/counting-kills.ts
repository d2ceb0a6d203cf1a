import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { KilledError } from '../sandboxes/sandbox.js';
import type { EndNotes } from './crashes.js';
import { heartbeating } from './heartbeating.js';

/** A program that is killed this often most likely kills itself, which is not known, so it is no score either. */
const MOST_KILLS = 3;

/** What an attempt that runs a program leaves for the next one, in its heartbeats. */
export interface KillNotes extends EndNotes {
  /** Attempts in which something killed the program. Those that ended for another reason do not count. */
  kills: number;
}

/** Counts a kill. @returns whether it was the last that is borne. */
export function isLastKill(error: unknown, notes: KillNotes): error is KilledError {
  if (!(error instanceof KilledError)) return false;
  notes.kills += 1;
  return notes.kills >= MOST_KILLS;
}

/**
 * Runs a program, heartbeating, and counts how often something kills it, over all attempts of the activity.
 * @throws a final failure of the type `killed` with the last kill.
 */
export async function countingKills<Value>(run: () => Promise<Value>): Promise<Value> {
  const context = Context.current();
  const details = context.info.heartbeatDetails as Partial<KillNotes> | undefined;
  const notes: KillNotes = { kills: details?.kills ?? 0 };
  try {
    return await heartbeating(run, notes);
  } catch (error) {
    const isLast = isLastKill(error, notes);
    context.heartbeat(notes);
    if (!isLast) throw error;
    throw ApplicationFailure.create({ message: error.message, type: 'killed', nonRetryable: true });
  }
}
