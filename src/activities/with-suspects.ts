import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import {
  crashesOf,
  type EndNotes,
  isSuspicious,
  MOST_CRASHES,
  noteBegin,
  noteEnd,
  SUSPECTED_FROM,
  settleLost,
  workerCrash,
} from './crashes.js';
import { SuspectGate, type Suspicion } from './suspect-gate.js';

/** Activities that ask a model. They look first whether there is a reply, and know what their requests have cost. */
const LOOK_THEMSELVES: readonly string[] = [
  'generate',
  'agentTurn',
  'userTurn',
  'judgeStep',
  'proposeScaffold',
  'scaffolderTurn',
];
/** Others that work on one sample or rollout, with data or code that are not our own. */
const OTHERS: readonly string[] = [
  'openSamples',
  'stepEnvironment',
  'beginRollout',
  'toolCall',
  'endRollout',
];

/** Milliseconds; the heartbeat timeout of these activities is 10 s. */
const BEAT_EVERY = 4000;

/** A sign of life that is with the server when this resolves; `context.heartbeat` keeps one back for seconds. */
export type Beat = (context: Context, notes: EndNotes) => Promise<void>;

const throughClient: Beat = ({ client, info }, notes) => client.activity.heartbeat(info.taskToken, notes);

function suspicionOf(crashes: number): Suspicion {
  if (!isSuspicious(crashes)) return 'none';
  return crashes === SUSPECTED_FROM ? 'few' : 'alone';
}

/** Tells the server; what it answers counts, and where it is away the wait goes on. */
async function tell(context: Context, notes: EndNotes, beat: Beat): Promise<void> {
  await beat(context, notes).catch((error: unknown) => {
    if (error instanceof ActivityCancelledError || error instanceof ActivityNotFoundError) {
      throw new CancelledFailure(error.message);
    }
  });
}

/** Waits for its turn. Should the worker die meanwhile, that is nothing that this activity may have done. */
async function waiting(context: Context, turn: Promise<void>, beat: Beat): Promise<void> {
  const { attempt, heartbeatDetails } = context.info;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, context.cancellationSignal]);
  const isOver = turn.then(() => true);
  try {
    for (let isTurn = false; !isTurn; ) {
      await tell(context, { ...heartbeatDetails, waiting: attempt }, beat);
      const pause = sleep(BEAT_EVERY, false, { signal }).catch(() => {
        context.cancellationSignal.throwIfAborted();
        return false;
      });
      isTurn = await Promise.race([isOver, pause]);
    }
  } finally {
    over.abort();
  }
}

/**
 * Wraps the activities of a worker that may end it, with a reply, a row or a module that nothing here can bear: who was
 * in a worker when it died is suspected, runs with a few others and then alone, and is given up where another worker dies.
 */
export function withSuspects<Activities extends object>(
  activities: Activities,
  beat: Beat = throughClient,
): Activities {
  const gate = new SuspectGate();
  const wrapped = Object.entries(activities).map(([name, activity]) => {
    const looksItself = LOOK_THEMSELVES.includes(name);
    if (!looksItself && !OTHERS.includes(name)) return [name, activity];
    const guarded = async (...input: unknown[]) => {
      const context = Context.current();
      settleLost(context);
      const crashes = crashesOf(context);
      if (crashes >= MOST_CRASHES && !looksItself) throw workerCrash(crashes);
      const suspicion = suspicionOf(crashes);
      const place = gate.enter(suspicion);
      try {
        if (place.wait !== null) await waiting(context, place.wait, beat);
        // Whoever has said nothing when the worker dies has not been let in, or not been heard: that counts for nothing.
        if (place.wait !== null || suspicion !== 'none') await tell(context, noteBegin(context), beat);
        return await (activity as (...input: unknown[]) => Promise<unknown>)(...input);
      } catch (error) {
        // Also where it was refused before it had begun.
        noteEnd(context);
        throw error;
      } finally {
        place.leave();
      }
    };
    return [name, guarded];
  });
  return Object.fromEntries(wrapped) as Activities;
}
