import { FAILURE_TYPES } from '../contracts/names.js';
import { ApplicationFailure, workflowInfo } from './sdk.js';

/** @throws ApplicationFailure where somebody has started a child by itself, with an input that nobody has checked. */
export function assertHasParent(experiment: string): void {
  const { parent, workflowType } = workflowInfo();
  if (parent === undefined)
    throw refusal(`${workflowType} is a part of ${experiment}, which starts it: start that`);
}

/** @throws ApplicationFailure where somebody has sent what only an execution hands to the next one. */
export function assertContinues(carried: unknown): void {
  const { continuedFromExecutionRunId, workflowType } = workflowInfo();
  if (carried === undefined || continuedFromExecutionRunId !== undefined) return;
  throw refusal(`${workflowType} takes one input, and was given two`);
}

/** Somebody has started a thing in a way that it cannot be started. */
export function refusal(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE_TYPES.invalidInput);
}
