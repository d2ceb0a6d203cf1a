import { FAILURE_TYPES } from '../contracts/names.js';
import { ApplicationFailure, workflowInfo } from './sdk.js';

/** Refuses a child that a user started directly, with an unchecked input. @throws ApplicationFailure */
export function assertHasParent(experiment: string): void {
  const { parent, workflowType } = workflowInfo();
  if (parent === undefined)
    throw refusal(`${workflowType} is a part of ${experiment}, which starts it: start that`);
}

/** Refuses state from a user that only an execution passes to the next one. @throws ApplicationFailure */
export function assertContinues(carried: unknown): void {
  const { continuedFromExecutionRunId, workflowType } = workflowInfo();
  if (carried === undefined || continuedFromExecutionRunId !== undefined) return;
  throw refusal(`${workflowType} takes one input, and was given two`);
}

/** Creates the failure of a workflow that was started in an invalid way. */
export function refusal(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE_TYPES.invalidInput);
}
