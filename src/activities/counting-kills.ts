import { ApplicationFailure } from '@temporalio/common';
import { KilledError } from '../sandboxes/sandbox.js';
import { AttemptJournal, heartbeating } from './attempt-journal.js';

/** Maximum kills of a program. It then most likely causes them itself, but that is not certain, so it is not scored. */
const MAX_KILLS = 3;

/** Counts a kill, over all attempts of the activity. @returns whether the limit is reached. */
export function isLastKill(error: unknown): error is KilledError {
  if (!(error instanceof KilledError)) return false;
  const journal = AttemptJournal.of();
  const program = journal.part('program', { kills: 0 });
  program.kills += 1;
  journal.write();
  return program.kills >= MAX_KILLS;
}

/**
 * Runs a program with heartbeats, and counts how often it is killed, over all attempts of the activity.
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
