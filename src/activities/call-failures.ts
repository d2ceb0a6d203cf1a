import { ApplicationFailure } from '@temporalio/common';
import type { LanguageModelConfig } from '../config/language-model-schema.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { AskAgain, StepCost, Unkept } from '../contracts/step-cost.js';
import {
  isRetryableKind,
  type LanguageModelError,
  type LanguageModelErrorKind,
} from '../language-models/errors.js';
import { costOfUnkept, noStepCost } from '../runtime/step-cost.js';
import { pauseAfter } from './pause-after.js';

/** The prompt is not taken, or what would be said to it is withheld. */
const REFUSED: readonly LanguageModelErrorKind[] = ['bad_request', 'content_filter'];

/** What the provider says of a request that it refused for its content; null where the error is another one. */
export function refusalOf(error: unknown): string | null {
  const isRefused = error instanceof ApplicationFailure && REFUSED.some((kind) => kind === error.type);
  return isRefused ? error.message : null;
}

/** What was wrong where a call was given up that another attempt might answer; null where the error is another one. */
export function gaveUpOf(error: unknown): string | null {
  const gaveUp = error instanceof ApplicationFailure && error.nonRetryable === true;
  return gaveUp && isRetryableKind(error.type ?? '') ? error.message : null;
}

/** Says that a reply is not there where only one that is stored was wanted. @param what it is to, such as `a step` */
export function refusedUnstored(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.limitReached,
    message: `the reply on ${what} is not stored, and no further call may be made`,
    details: [noStepCost()],
    nonRetryable: true,
  });
}

/** What a call had cost that failed for good. */
export function costOfFailed(error: unknown): StepCost {
  const told = error instanceof ApplicationFailure ? (error.details?.[0] as StepCost | undefined) : undefined;
  return told ?? noStepCost();
}

/** Whether a call is not tried again after so many failures. */
export function isFinalFailure(
  { retryable }: LanguageModelError,
  failures: number,
  { max_attempts }: Pick<LanguageModelConfig, 'max_attempts'>,
): boolean {
  return !retryable || failures >= max_attempts;
}

/** What an activity that ends with a provider's failure tells: what it has spent, and whether it may be asked again. */
interface Told {
  unkept: Unkept | null;
  again?: AskAgain;
}

/** Turns a provider's failure into what the retry policy should do, or whoever waits for the activity. */
export function failureOf(
  error: LanguageModelError,
  { failures, isFinal }: { failures: number; isFinal: boolean },
  told?: Told,
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

function detailsOf({ unkept, again }: Told): unknown[] {
  if (again !== undefined) return [costOfUnkept(unkept), again];
  return unkept === null ? [] : [costOfUnkept(unkept)];
}
