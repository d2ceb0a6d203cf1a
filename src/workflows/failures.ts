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

/** An error that ends a lane and is no episode's. */
export function isInterruption(thrown: unknown): boolean {
  const error = asError(thrown);
  return error instanceof CallRefusedError || isCancellation(error) || fatalMessage(error) !== null;
}

/** What an activity or a child workflow failed of, also an activity of a child; any other error as it is. */
function causeOf(error: unknown): unknown {
  const isWrapper = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  return isWrapper && error.cause !== undefined ? causeOf(error.cause) : error;
}

/**
 * What an error row says. The activity's own words, not the wrapper's.
 * @param file of the user's own that may have thrown it
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

/** Why every further call would fail as well; null where the error is not of that kind. */
export function fatalMessage(error: unknown): string | null {
  const cause = causeOf(error);
  const fatal = cause instanceof ApplicationFailure && FATAL_TYPES.includes(cause.type ?? '');
  return fatal ? cause.message : null;
}

/** What a step had cost when it met a limit of the experiment; null where it failed for another reason. */
export function costAtLimit(error: unknown): StepCost | null {
  return costOfType(error, FAILURE_TYPES.limitReached);
}

/** Why a program was given up without a score, and what it had cost; null where it failed for another reason. */
export function givenUp(error: unknown): { reason: string; cost: StepCost } | null {
  const cost = costOfType(error, FAILURE_TYPES.unscored);
  return cost === null ? null : { reason: describeError(error).message, cost };
}

/** Whether there was a reply of the agent, and it was to blame: it said nothing, or its token limit cut it off. */
export function isFaultyReply(error: unknown): boolean {
  return isOfType(error, FAILURE_TYPES.emptyReply) || isOfType(error, FAILURE_TYPES.cutOff);
}

/** What a step had cost that failed, as far as it says so. */
export function costOfFailure(error: unknown): StepCost {
  return (detailsOf(error)[0] as StepCost | undefined) ?? noStepCost();
}

/** What another activity needs to ask again; null where the model is not to be asked again. */
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

/** Turns an activity's final failure into the workflow's own, with the same message. */
async function asOwnFailure<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { type, message } = describeError(error);
    throw ApplicationFailure.nonRetryable(message, type);
  }
}

/** What cannot be built from the run's input fails the workflow; any other throw would retry its task for ever. */
export function orInvalidInput<Value>(build: () => Value): Value {
  try {
    return build();
  } catch (error) {
    throw invalidInput(error);
  }
}

/** What is said of a throw that nobody foresaw. */
export function faultText(error: unknown): string {
  return `a fault of Reprise: ${describeError(error).message}. The same command goes on`;
}

/** What our own bookkeeping throws ends the experiment: it is no agent's, and no call's, failure. */
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
 * What an experiment's preparation answers.
 * @throws the reason as the workflow's own failure, after the experiment has been shown as failed.
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
