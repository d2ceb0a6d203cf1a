import { FAILURE_TYPES } from '../contracts/names.js';
import { messageWithPlace } from '../contracts/place-of-error.js';
import type { EpisodeError } from '../contracts/results.js';
import { asError } from '../contracts/run-user-code.js';
import type { AskAgain, StepCost } from '../contracts/step-cost.js';
import { CallRefusedError } from '../runtime/ports.js';
import { noStepCost } from '../runtime/step-cost.js';
import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  isCancellation,
  TimeoutFailure,
} from './sdk.js';

/** Reports whether an error ends a lane and belongs to no episode. */
export function isInterruption(thrown: unknown): boolean {
  const error = asError(thrown);
  return error instanceof CallRefusedError || isCancellation(error) || fatalMessage(error) !== null;
}

/**
 * Returns the cause of a failed activity or child workflow, also of an activity of a child; any other error unchanged.
 */
function causeOf(error: unknown): unknown {
  const isWrapper = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  return isWrapper && error.cause !== undefined ? causeOf(error.cause) : error;
}

/**
 * Describes an error for an error row, with the message of the activity, not of the wrapper.
 * @param file of the user that may have thrown it
 */
export function describeError(error: unknown, file?: string): EpisodeError {
  const cause = asError(causeOf(asError(error)));
  if (cause instanceof ApplicationFailure) {
    return { type: cause.type ?? 'Error', message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return {
      type: 'timeout',
      message: `no answer in time (${cause.timeoutType}); the workers may have died repeatedly`,
    };
  }
  return { type: cause.name, message: messageWithPlace(cause, file) };
}

const FATAL_TYPES: string[] = [
  FAILURE_TYPES.fatalProvider,
  FAILURE_TYPES.fatalStorage,
  FAILURE_TYPES.invalidInput,
  FAILURE_TYPES.unforeseen,
];

/** Returns why every further call would fail as well; null for another error. */
export function fatalMessage(error: unknown): string | null {
  const cause = causeOf(error);
  const fatal = cause instanceof ApplicationFailure && FATAL_TYPES.includes(cause.type ?? '');
  return fatal ? cause.message : null;
}

/** Returns the cost of a step that reached a limit of the experiment; null for another error. */
export function costAtLimit(error: unknown): StepCost | null {
  return costOfType(error, FAILURE_TYPES.limitReached);
}

/** Returns why a program was given up without a score, and its cost; null for another error. */
export function givenUp(error: unknown): { reason: string; cost: StepCost } | null {
  const cost = costOfType(error, FAILURE_TYPES.unscored);
  return cost === null ? null : { reason: describeError(error).message, cost };
}

/** Reports whether the agent's reply caused the failure: it was empty, or a token limit cut it off. */
export function isFaultyReply(error: unknown): boolean {
  return isOfType(error, FAILURE_TYPES.emptyReply) || isOfType(error, FAILURE_TYPES.cutOff);
}

/** Returns the cost of a failed step, as far as the failure carries it. */
export function costOfFailure(error: unknown): StepCost {
  return (detailsOf(error)[0] as StepCost | undefined) ?? noStepCost();
}

/** Reports whether an activity was given up because workers died with it. */
export function isWorkerCrash(error: unknown): boolean {
  return isOfType(error, FAILURE_TYPES.workerCrash);
}

/** Returns the details for another activity that repeats the request; null if it is not to be repeated. */
export function askAgain(error: unknown): AskAgain | null {
  return (detailsOf(error)[1] as AskAgain | undefined) ?? null;
}

function detailsOf(error: unknown): unknown[] {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
}

function costOfType(error: unknown, type: string): StepCost | null {
  return isOfType(error, type) ? ((detailsOf(error)[0] as StepCost | undefined) ?? null) : null;
}

function isOfType(error: unknown, type: string): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === type;
}

/** Returns the result of an experiment that failed with one, as a child; null for another error. */
export function endedOfFailure<Ended>(error: unknown): Ended | null {
  return isOfType(error, FAILURE_TYPES.runFailed)
    ? ((detailsOf(error)[0] as Ended | undefined) ?? null)
    : null;
}

/** Converts an activity's final failure into the workflow's own, with the same message. */
async function asOwnFailure<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { type, message } = describeError(error);
    throw ApplicationFailure.nonRetryable(message, type);
  }
}

/**
 * Builds something from the run's input. An error fails the workflow; any other error would repeat its task for ever.
 */
export function orInvalidInput<Value>(build: () => Value): Value {
  try {
    return build();
  } catch (error) {
    throw invalidInput(error);
  }
}

/** Describes an unexpected error. */
export function faultText(error: unknown): string {
  return `a fault of Reprise: ${describeError(error).message}. The same command continues`;
}

/** Runs internal bookkeeping. An error in it ends the experiment: it is no failure of an agent or a call. */
export function orFault<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw ApplicationFailure.nonRetryable(faultText(error), FAILURE_TYPES.unforeseen);
  }
}

export function invalidInput(error: unknown): ApplicationFailure {
  return ApplicationFailure.nonRetryable(describeError(error).message, FAILURE_TYPES.invalidInput);
}

/**
 * Returns the result of an experiment's preparation.
 * @throws the reason as the workflow's own failure, after the experiment is shown as failed.
 */
export async function prepared<Plan>(
  preparing: Promise<Plan>,
  control: { setPhase(phase: 'failed'): void },
): Promise<Plan> {
  try {
    return await asOwnFailure(preparing);
  } catch (error) {
    control.setPhase('failed');
    throw error;
  }
}
