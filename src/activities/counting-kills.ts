import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { KilledError } from '../sandboxes/sandbox.js';
import { heartbeating } from './heartbeating.js';

/** A program that is killed this often most likely kills itself, which is not known, so it is no score either. */
const MOST_KILLS = 3;

/**
 * Runs a program, heartbeating, and counts how often something kills it, over all attempts of the activity. Attempts
 * that ended for another reason do not count.
 * @throws a final failure of the type `killed` with the last kill.
 */
export async function countingKills<Value>(run: () => Promise<Value>): Promise<Value> {
  const context = Context.current();
  const details = context.info.heartbeatDetails as { kills?: number } | undefined;
  const notes = { kills: details?.kills ?? 0 };
  try {
    return await heartbeating(run, notes);
  } catch (error) {
    if (!(error instanceof KilledError)) throw error;
    notes.kills += 1;
    context.heartbeat(notes);
    if (notes.kills < MOST_KILLS) throw error;
    throw ApplicationFailure.create({ message: error.message, type: 'killed', nonRetryable: true });
  }
}
