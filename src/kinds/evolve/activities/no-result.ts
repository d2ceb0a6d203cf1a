import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../../../contracts/names.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import type { CallResult } from '../../../sandboxes/sandbox.js';
import type { ScaffoldJob } from '../contracts.js';
import type { ExecutionNotes } from './execution-notes.js';
import { hasOutput } from './scaffold-runs.js';

/** What a program that has ended was kept from. */
export interface Losses {
  /** Seconds that it lost to others. */
  seconds: number;
  /** Whether it still had a request without a reply. */
  wasWaiting: boolean;
  /** Whether the model had failed to answer one of those. */
  wasFailed: boolean;
  /** Replies that were found in the store. */
  recalled: number;
}

/** A program has lost time that mattered from this share of it on. */
const SHARE_THAT_MATTERS = 0.05;
/** Attempts in a row that may come to no result, and no further. */
const MOST_LOST = 3;

/**
 * Why what a program came to says nothing about it; null where it does. One that has its result, and all that it asked
 * for, may have waited as long as it likes. One that has none may lack it because it waited; and where it did not wait
 * for a reply to the end, its result may be what it does without a model.
 */
export function lostBy(
  { seconds, wasWaiting, wasFailed }: Losses,
  { result, timeout_sec }: { result: CallResult; timeout_sec: number },
): string | null {
  if (wasFailed) return 'it ended while the model failed to answer one of its requests';
  const isWhole = hasOutput(result) && !wasWaiting;
  if (isWhole || seconds < SHARE_THAT_MATTERS * timeout_sec) return null;
  return (
    `its requests waited for ${seconds.toFixed(1)} of its ${timeout_sec} s without the model at work on them` +
    (result.status === 'timeout' ? ', and it ran out of time' : '')
  );
}

/**
 * What an activity throws where a program has come to no result. It is tried again, but for one that is given up, whose
 * cost is told.
 */
export function noResult(
  { scaffold, type, example }: ScaffoldJob,
  why: string,
  givenUp?: StepCost,
): ApplicationFailure {
  return ApplicationFailure.create({
    message: `scaffold ${scaffold} has no result on ${type} example ${example}: ${why}`,
    type: FAILURE_TYPES.unscored,
    ...(givenUp === undefined ? {} : { nonRetryable: true, details: [givenUp] }),
  });
}

/** Counts an attempt without a result. One that came further than the one before, by replies that are stored now, begins anew. */
export function givenUp(notes: ExecutionNotes, { recalled }: Losses): boolean {
  notes.lost = recalled > notes.recalled ? 1 : notes.lost + 1;
  notes.recalled = recalled;
  return notes.lost >= MOST_LOST;
}
