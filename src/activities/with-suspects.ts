import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { AttemptJournal, workerCrash } from './attempt-journal.js';
import { SuspectGate } from './suspect-gate.js';
import type { Traits } from './traits.js';

/** Milliseconds; the heartbeat timeout of these activities is 10 s. */
const BEAT_EVERY = 4000;

/** A sign of life that is with the server when this resolves; `context.heartbeat` keeps one back for seconds. */
export type Beat = (journal: AttemptJournal) => Promise<void>;

const throughClient: Beat = ({ context: { client, info }, notes }) =>
  client.activity.heartbeat(info.taskToken, notes);

/** Tells the server; what it answers counts, and where it is unreachable the wait goes on. */
async function report(journal: AttemptJournal, beat: Beat): Promise<void> {
  await beat(journal).catch((error: unknown) => {
    if (error instanceof ActivityCancelledError || error instanceof ActivityNotFoundError) {
      throw new CancelledFailure(error.message);
    }
  });
}

/** Waits for a turn, with signs of life. */
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
 * Wraps the activities of a worker that may end it: one that was in two workers when they died runs alone, and is given up
 * where a third dies. Who was lost while it waited for its turn has taken no worker along.
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
        // Also where it was refused before it had begun.
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
