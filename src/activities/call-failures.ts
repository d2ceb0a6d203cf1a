import { ApplicationFailure } from '@temporalio/common';
import type { LanguageModelConfig } from '../config/language-model-schema.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { AskAgain, StepCost, Unrecorded } from '../contracts/step-cost.js';
import {
  isRetryableKind,
  type LanguageModelError,
  type LanguageModelErrorKind,
} from '../language-models/errors.js';
import { costOfUnrecorded, noStepCost } from '../runtime/step-cost.js';
import { pauseAfter } from './pause-after.js';

/** Error kinds of a request that the provider refuses for its content. */
const REFUSED: readonly LanguageModelErrorKind[] = ['bad_request', 'context_full', 'content_filter'];

/** Returns the provider's reason for refusing a request for its content; null for another error. */
export function refusalOf(error: unknown): string | null {
  const isRefused = error instanceof ApplicationFailure && REFUSED.some((kind) => kind === error.type);
  return isRefused ? error.message : null;
}

/** Returns the message of a final failure whose kind is otherwise retryable; null for another error. */
export function gaveUpOf(error: unknown): string | null {
  const gaveUp = error instanceof ApplicationFailure && error.nonRetryable === true;
  return gaveUp && isRetryableKind(error.type ?? '') ? error.message : null;
}

/**
 * Creates the failure for a missing reply when only a stored one may be used.
 * @param what its purpose, such as `a step`
 */
export function refusedUnstored(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.limitReached,
    message: `the reply on ${what} is not stored, and no further call may be made`,
    details: [noStepCost()],
    nonRetryable: true,
  });
}

/** Returns the cost of a call that failed finally. */
export function costOfFailed(error: unknown): StepCost {
  const told = error instanceof ApplicationFailure ? (error.details?.[0] as StepCost | undefined) : undefined;
  return told ?? noStepCost();
}

/** Reports whether a call is not tried again after this number of failures. */
export function isFinalFailure(
  { retryable }: LanguageModelError,
  failures: number,
  { max_attempts }: Pick<LanguageModelConfig, 'max_attempts'>,
): boolean {
  return !retryable || failures >= max_attempts;
}

/** Details of the failure that ends an activity: its cost, and whether the request may be repeated. */
interface FailureDetails {
  unrecorded: Unrecorded | null;
  again?: AskAgain;
}

/** Converts a provider's failure into one for the retry policy, or for the workflow that waits for the activity. */
export function failureOf(
  error: LanguageModelError,
  { failures, isFinal }: { failures: number; isFinal: boolean },
  told?: FailureDetails,
): ApplicationFailure {
  const { kind, message, retryable, fatalForRun, retryAfterMs } = error;
  return ApplicationFailure.create({
    message: isFinal && retryable ? `${message} (gave up after ${failures} attempts)` : message,
    type: fatalForRun ? FAILURE_TYPES.fatalProvider : kind,
    details: told === undefined ? [] : detailsOf(told),
    nonRetryable: isFinal || told?.again !== undefined,
    ...(retryAfterMs === undefined ? {} : { nextRetryDelay: pauseAfter(failures, retryAfterMs) }),
  });
}

function detailsOf({ unrecorded, again }: FailureDetails): unknown[] {
  if (again !== undefined) return [costOfUnrecorded(unrecorded), again];
  return unrecorded === null ? [] : [costOfUnrecorded(unrecorded)];
}
