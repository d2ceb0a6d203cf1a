import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../../../contracts/names.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import type { CallResult } from '../../../sandboxes/sandbox.js';
import type { ScaffoldJob } from '../contracts.js';
import type { ExecutionNotes } from './execution-notes.js';
import { hasOutput } from './scaffold-runs.js';

/** Losses of a program that has ended, which others caused. */
export interface Losses {
  /** Seconds that it lost to others. */
  seconds: number;
  /** True if it still had a request without a reply. */
  wasWaiting: boolean;
  /** True if the model had failed to answer one of those. */
  wasFailed: boolean;
  /** Replies that were found in the store. */
  recalled: number;
}

/** Share of the time limit from which lost time matters. */
const SHARE_THAT_MATTERS = 0.05;
/** Maximum consecutive attempts without a result and without progress. */
const MAX_LOST = 3;

/**
 * Returns why the result of a program says nothing about it; null where it does. One that has an output, and a reply to
 * every request, may have waited for any time. One without an output may lack it because it waited; and one that did
 * not wait for a reply may have the output that it has without a model.
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
 * Creates the failure of an activity whose program has no result. It is retried, unless it has the cost of a program
 * that is given up.
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

/**
 * Counts an attempt without a result, and reports whether it was the last. The count restarts if more replies were
 * stored.
 */
export function countWithoutResult(notes: ExecutionNotes, { recalled }: Losses): boolean {
  notes.lost = recalled > notes.recalled ? 1 : notes.lost + 1;
  notes.recalled = recalled;
  return notes.lost >= MAX_LOST;
}
