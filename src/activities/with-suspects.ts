import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { AttemptJournal, workerCrash } from './attempt-journal.js';
import { SuspectGate } from './suspect-gate.js';
import type { Traits } from './traits.js';

/** Milliseconds; the heartbeat timeout of these activities is 10 s. */
const BEAT_EVERY = 4000;

/** Sends a heartbeat that has reached the server when this resolves; `context.heartbeat` may delay one for seconds. */
export type Beat = (journal: AttemptJournal) => Promise<void>;

const throughClient: Beat = ({ context: { client, info }, notes }) =>
  client.activity.heartbeat(info.taskToken, notes);

/** Sends a heartbeat. A cancellation in the response counts; if the server is unreachable, the wait continues. */
async function report(journal: AttemptJournal, beat: Beat): Promise<void> {
  await beat(journal).catch((error: unknown) => {
    if (error instanceof ActivityCancelledError || error instanceof ActivityNotFoundError) {
      throw new CancelledFailure(error.message);
    }
  });
}

/** Waits for a turn, with heartbeats. */
async function waiting(journal: AttemptJournal, turn: Promise<void>, beat: Beat): Promise<void> {
  const { cancellationSignal } = journal.context;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, cancellationSignal]);
  const isOver = turn.then(() => true);
  try {
    for (let isTurn = false; !isTurn; ) {
      await report(journal, beat);
      const pause = sleep(BEAT_EVERY, false, { signal }).catch(() => {
        cancellationSignal.throwIfAborted();
        return false;
      });
      isTurn = await Promise.race([isOver, pause]);
    }
  } finally {
    over.abort();
  }
}

/**
 * Wraps the activities of a worker that may crash it: one that was in two workers when they died runs alone, and is
 * given up if a third dies. One that is lost while it waits for its turn has crashed no worker.
 */
export function withSuspects<Activities extends object>(
  activities: Activities,
  traits: Traits,
  beat: Beat = throughClient,
): Activities {
  const gate = new SuspectGate();
  const wrapped = Object.entries(activities).map(([name, activity]) => {
    const trait = traits[name];
    if (trait !== 'asks' && trait !== 'risky') return [name, activity];
    const guarded = async (...input: unknown[]) => {
      const journal = AttemptJournal.of(Context.current());
      const { isSuspect, isGivenUp, crashes } = journal;
      if (isGivenUp && trait === 'risky') throw workerCrash(crashes);
      const place = gate.enter(isSuspect);
      try {
        if (place.turn !== null) await waiting(journal, place.turn, beat);
        if (isSuspect) {
          journal.notes.alone = 'begun';
          await report(journal, beat);
        }
        return await (activity as (...input: unknown[]) => Promise<unknown>)(...input);
      } catch (error) {
        // Also if it was refused before it began.
        journal.end();
        throw error;
      } finally {
        place.leave();
      }
    };
    return [name, guarded];
  });
  return Object.fromEntries(wrapped) as Activities;
}
