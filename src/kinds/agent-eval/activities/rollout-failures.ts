import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { infrastructureMessage, isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import { FAILURE_TYPES } from '../../../contracts/names.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { StorageError } from '../../../storage/storage-error.js';
import { CodeEndedError } from '../../../user-code/code-pool.js';

/** Maximum attempts after infrastructure failures of a bundle's code: about a minute, without the time of the calls. */
const ATTEMPTS = 8;

/** Types of the errors that end one rollout and do not affect the others. */
export const ROLLOUT_ERRORS = {
  emptyReply: FAILURE_TYPES.emptyReply,
  cutOff: FAILURE_TYPES.cutOff,
  goal: 'GoalError',
  infrastructure: 'InfrastructureError',
  reward: 'RewardError',
  seed: 'SeedError',
} as const;

type RolloutErrorType = (typeof ROLLOUT_ERRORS)[keyof typeof ROLLOUT_ERRORS];

/** Creates an error that ends the rollout, whose row then has no score. @param cost of the failed step */
export function rolloutError(type: RolloutErrorType, message: string, cost?: StepCost): ApplicationFailure {
  const details = cost === undefined ? [] : [cost];
  return ApplicationFailure.create({ type, message, details, nonRetryable: true });
}

/**
 * Reports whether an infrastructure failure is final. Failures of the store never are: they are waited out. Code that
 * was ended had a thread to itself, so a retry would end the same way.
 */
export function isLastingFailure(error: unknown): error is Error {
  const isOutside =
    error instanceof Error && isInfrastructureError(error) && !(error instanceof StorageError);
  return isOutside && (error.cause instanceof CodeEndedError || Context.current().info.attempt >= ATTEMPTS);
}

/** Runs a bundle's code. An infrastructure failure is retried, and becomes the rollout's error once it is final. */
export async function withLastingFailures<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (isLastingFailure(error))
      throw rolloutError(ROLLOUT_ERRORS.infrastructure, infrastructureMessage(error));
    throw error;
  }
}
