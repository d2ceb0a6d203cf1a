import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { AttemptJournal, workerCrash } from './attempt-journal.js';
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

/** Maximum milliseconds for which others wait for one: a crash of its worker would mostly have happened by then. */
const LONGEST_HOLD = 10_000;

/** Place in the gate, taken at once or after a wait. */
interface Place {
  /** Turn to wait for; null if it may begin at once. */
  turn: Promise<void> | null;
  /** Frees the place after its work, or stops waiting. */
  leave(): void;
}

/**
 * Admits a suspect alone: no other one begins beside it, and it waits until those inside are done, since it would be
 * blamed for their crashes. Suspects go first, in their order, and before them those whose worker has died while they were
 * alone: a worker that somebody kills later takes none of these along.
 */
export class SuspectGate {
  private readonly inside = new Set<object>();
  private readonly diedAlone = new Set<() => void>();
  private readonly suspects = new Set<() => void>();
  private readonly others = new Set<() => void>();
  private isHeld = false;

  constructor(private readonly hold = LONGEST_HOLD) {}

  enter(isSuspect: boolean, hasDiedAlone = false): Place {
    const one = {};
    const suspects = hasDiedAlone ? this.diedAlone : this.suspects;
    const queue = isSuspect ? suspects : this.others;
    let begin: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const admit = () => {
      queue.delete(admit);
      this.inside.add(one);
      this.isHeld = isSuspect;
      timer = setTimeout(leave, this.hold).unref();
      begin();
    };
    const leave = () => {
      clearTimeout(timer);
      queue.delete(admit);
      this.inside.delete(one);
      this.letIn();
    };
    queue.add(admit);
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.letIn();
    return { turn: this.inside.has(one) ? null : turn, leave };
  }

  private letIn(): void {
    const [suspect] = [...this.diedAlone, ...this.suspects];
    if (suspect !== undefined) {
      if (this.inside.size === 0) suspect();
      return;
    }
    if (this.inside.size > 0 && this.isHeld) return;
    for (const admit of this.others) admit();
  }
}

/**
 * Wraps the activities of a worker that may crash it: one that was in two workers when they died runs alone, and is
 * given up if three more die. One that is lost while it waits for its turn has crashed no worker.
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
      const { isSuspect, isGivenUp, crashes, diedAlone } = journal;
      if (isGivenUp && trait === 'risky') throw workerCrash(crashes);
      const place = gate.enter(isSuspect, diedAlone > 0);
      try {
        if (place.turn !== null) await waiting(journal, place.turn, beat);
        if (isSuspect) {
          journal.beginAlone();
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
