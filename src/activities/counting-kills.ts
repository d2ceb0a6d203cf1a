import { ApplicationFailure } from '@temporalio/common';
import { KilledError } from '../sandboxes/sandbox.js';
import { AttemptJournal, heartbeating } from './attempt-journal.js';

/** A program that is killed this often most likely kills itself, which is not known, so it is no score either. */
const MOST_KILLS = 3;

/** Counts a kill, over all attempts of the activity. @returns whether it was the last that is borne. */
export function isLastKill(error: unknown): error is KilledError {
  if (!(error instanceof KilledError)) return false;
  const journal = AttemptJournal.of();
  const program = journal.part('program', { kills: 0 });
  program.kills += 1;
  journal.write();
  return program.kills >= MOST_KILLS;
}

/**
 * Runs a program, heartbeating, and counts how often something kills it, over all attempts of the activity.
 * @throws a final failure of the type `killed` with the last kill.
 */
export async function countingKills<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await heartbeating(run);
  } catch (error) {
    if (!isLastKill(error)) throw error;
    throw ApplicationFailure.create({ message: error.message, type: 'killed', nonRetryable: true });
  }
}
