import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import { FAILURE_TYPES } from '../../../contracts/names.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { StorageError } from '../../../storage/storage-error.js';
import { CodeEndedError } from '../../../user-code/code-pool.js';

/** What a bundle's own code needs from outside is waited for so often: about a minute, beside the time that calls take. */
const ATTEMPTS = 8;

/** Types of the errors that end one rollout and say nothing of the others. */
export const ROLLOUT_ERRORS = {
  emptyReply: FAILURE_TYPES.emptyReply,
  cutOff: FAILURE_TYPES.cutOff,
  goal: 'GoalError',
  infrastructure: 'InfrastructureError',
  reward: 'RewardError',
  seed: 'SeedError',
} as const;

type RolloutErrorType = (typeof ROLLOUT_ERRORS)[keyof typeof ROLLOUT_ERRORS];

/** An error that ends the rollout: it becomes a row, and never a score. @param cost what was paid for it */
export function rolloutError(type: RolloutErrorType, message: string, cost?: StepCost): ApplicationFailure {
  const details = cost === undefined ? [] : [cost];
  return ApplicationFailure.create({ type, message, details, nonRetryable: true });
}

/**
 * Tells whether what failed outside of the rollout is not tried again. The store is no part of this: it is waited for. Code
 * that did not come to its end had a thread to itself, so it would come to the same again.
 */
export function isLastingFailure(error: unknown): error is Error {
  const isOutside =
    error instanceof Error && isInfrastructureError(error) && !(error instanceof StorageError);
  return isOutside && (error.cause instanceof CodeEndedError || Context.current().info.attempt >= ATTEMPTS);
}

/** Runs a bundle's code. What fails outside of it is tried again, and becomes the rollout's error where it lasts. */
export async function withLastingFailures<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (isLastingFailure(error)) throw rolloutError(ROLLOUT_ERRORS.infrastructure, error.message);
    throw error;
  }
}
