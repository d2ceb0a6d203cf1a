import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { InvalidInputError } from '../config/errors.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import { DatasetError } from '../datasets/dataset-error.js';
import { LanguageModelError } from '../language-models/errors.js';
import { SandboxError } from '../sandboxes/sandbox.js';
import { StorageError } from '../storage/storage-error.js';
import { pauseAfter } from './pause-after.js';

/** An error that nobody foresaw is tried this often; it is hardly one that passes. */
const UNFORESEEN_ATTEMPTS = 8;

function isForeseen(error: unknown): boolean {
  const known = [
    ApplicationFailure,
    CancelledFailure,
    StorageError,
    DatasetError,
    LanguageModelError,
    SandboxError,
  ];
  return known.some((type) => error instanceof type);
}

function final(type: string, error: Error): ApplicationFailure {
  return ApplicationFailure.create({ message: error.message, type, nonRetryable: true });
}

/** A model's failure; one that may pass is tried again no sooner than the provider asks for. */
function modelFailure(error: LanguageModelError): Error {
  const { kind, message, retryAfterMs } = error;
  if (kind === 'cancelled') return new CancelledFailure(message);
  if (!error.retryable) return final(error.fatalForRun ? FAILURE_TYPES.fatalProvider : kind, error);
  const delay =
    retryAfterMs === undefined
      ? {}
      : { nextRetryDelay: pauseAfter(Context.current().info.attempt, retryAfterMs) };
  return ApplicationFailure.create({ message, type: kind, ...delay });
}

/**
 * What an activity throws, by what a retry should do. Whatever the user has to put right is final and carries the
 * whole message; what may pass by itself is left to the retry policy.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof InvalidInputError) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof DatasetError && !error.retryable) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof StorageError && !error.retryable) return final(FAILURE_TYPES.fatalStorage, error);
  // Without a sandbox every other program fails as well.
  if (error instanceof SandboxError && !error.retryable) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof LanguageModelError) return modelFailure(error);
  if (!isForeseen(error) && Context.current().info.attempt >= UNFORESEEN_ATTEMPTS) {
    return final(FAILURE_TYPES.unforeseen, error instanceof Error ? error : new Error(String(error)));
  }
  return error;
}

/** Wraps every activity of a set in {@link toFailure}; people are told what is away for now. */
export function withFailures<Activities extends object>(
  activities: Activities,
  notify: (message: string) => void,
): Activities {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...input: unknown[]) => {
      try {
        return await (activity as (...input: unknown[]) => Promise<unknown>)(...input);
      } catch (error) {
        if (error instanceof StorageError && error.retryable)
          notify(`Waiting for the store: ${error.message}`);
        if (error instanceof SandboxError && error.retryable)
          notify(`Waiting for the sandbox: ${error.message}`);
        if (error instanceof LanguageModelError && error.retryable) notify(`Asking again: ${error.message}`);
        throw toFailure(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}
