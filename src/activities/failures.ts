import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { InvalidInputError } from '../config/errors.js';
import { NotPermittedError } from '../config/named-files.js';
import { FAILURE_TYPES } from '../contracts/names.js';
import { asError } from '../contracts/run-user-code.js';
import { DatasetError } from '../datasets/dataset-error.js';
import { LanguageModelError } from '../language-models/errors.js';
import { SandboxError } from '../sandboxes/sandbox.js';
import { StorageError } from '../storage/storage-error.js';
import { CHANGED } from '../storage/stored-file.js';
import type { WorkerDependencies } from './dependencies.js';
import { THE_STORE } from './patiently.js';
import { pauseAfter } from './pause-after.js';
import type { Traits } from './traits.js';
import { activityNameOf } from './unrecorded.js';

/** Maximum attempts after an unexpected error, which is hardly temporary. */
const UNFORESEEN_ATTEMPTS = 8;

function isForeseen(error: unknown): boolean {
  const known = [ApplicationFailure, CancelledFailure, DatasetError, LanguageModelError, SandboxError];
  return known.some((type) => error instanceof type);
}

function final(type: string, error: Error): ApplicationFailure {
  return ApplicationFailure.create({ message: error.message, type, nonRetryable: true });
}

/** Milliseconds between two checks of a permission, and number of checks: five minutes in all. */
const PERMISSION_PAUSE = 10_000;
const PERMISSION_ATTEMPTS = 30;

/**
 * Returns the failure for a missing permission. The experiment had it when it began. Another worker may have it, or
 * this one again after the same command is run once more.
 */
function withoutPermission(error: NotPermittedError, isBeginning: boolean): ApplicationFailure {
  if (isBeginning || Context.current().info.attempt >= PERMISSION_ATTEMPTS) {
    return final(FAILURE_TYPES.invalidInput, error);
  }
  return ApplicationFailure.create({
    message: error.message,
    type: 'NotPermitted',
    nextRetryDelay: PERMISSION_PAUSE,
  });
}

/** Returns the failure for a model's error; a temporary one is retried no sooner than the provider requests. */
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

/** Attempts with the policy's pauses for an unusable store; the pauses grow after that. In milliseconds. */
const QUICK_ATTEMPTS = 12;
const MORE_WITH_EACH = 5000;
const LONGEST_PAUSE = 300_000;
/** Attempt from which experiments are notified of an unusable store: after some seconds. */
const HEARD_FROM_ATTEMPT = 4;

/** Attempts for a missing file: on a network mount, a file of another machine may appear late. */
const LATE_FILE_ATTEMPTS = 3;
const LATE_FILE_PAUSE = 1000;

function storeFailure(error: StorageError, attempt: number, isBeginning: boolean): Error {
  if (error.code === CHANGED.missing && attempt < LATE_FILE_ATTEMPTS) {
    const { message, name: type } = error;
    return ApplicationFailure.create({ message, type, nextRetryDelay: LATE_FILE_PAUSE });
  }
  const isOver = isBeginning ? !error.retryable : !error.mayPass;
  if (isOver) return final(FAILURE_TYPES.fatalStorage, error);
  const pause = Math.min((attempt - QUICK_ATTEMPTS) * MORE_WITH_EACH + 30_000, LONGEST_PAUSE);
  return ApplicationFailure.create({
    message: error.message,
    type: error.name,
    ...(attempt > QUICK_ATTEMPTS ? { nextRetryDelay: pause } : {}),
  });
}

/**
 * Converts an error of an activity into the failure that the retry policy needs. An error that a user must correct
 * before an experiment can begin is final and carries the whole message. A temporary error is left to the retry policy,
 * and so is one that a person can correct while the experiment waits.
 */
export function toFailure(error: unknown, isBeginning = false): unknown {
  if (error instanceof NotPermittedError) return withoutPermission(error, isBeginning);
  if (error instanceof InvalidInputError) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof DatasetError && !error.retryable) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof StorageError) return storeFailure(error, Context.current().info.attempt, isBeginning);
  // Without a sandbox every other program fails as well.
  if (error instanceof SandboxError && !error.retryable) return final(FAILURE_TYPES.invalidInput, error);
  if (error instanceof LanguageModelError) return modelFailure(error);
  if (!isForeseen(error) && Context.current().info.attempt >= UNFORESEEN_ATTEMPTS) {
    return final(FAILURE_TYPES.unforeseen, asError(error));
  }
  return error;
}

/** Wraps every activity of a set in {@link toFailure}, and notifies people and experiments of what is unreachable. */
export function withFailures<Activities extends object>(
  activities: Activities,
  { notify, notices }: Pick<WorkerDependencies, 'notify' | 'notices'>,
  traits: Traits = {},
): Activities {
  /** Activities whose experiment was notified that they wait for the store. */
  const waiting = new LRUCache<string, true>({ max: 10_000 });
  const waits = (error: StorageError) => {
    notify(`Waiting for the store: ${error.message}`);
    const context = Context.current();
    if (context.info.attempt < HEARD_FROM_ATTEMPT) return;
    waiting.set(activityNameOf(context), true);
    notices.listener(THE_STORE)({ since: Date.now(), message: error.message });
  };
  const succeeds = () => {
    const name = activityNameOf(Context.current());
    if (waiting.get(name) === undefined) return;
    waiting.delete(name);
    notices.listener(THE_STORE)(null);
  };
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...input: unknown[]) => {
      try {
        const result = await (activity as (...input: unknown[]) => Promise<unknown>)(...input);
        succeeds();
        return result;
      } catch (thrown) {
        const error = asError(thrown);
        const isBeginning = traits[name] === 'begins';
        if (error instanceof StorageError && (isBeginning ? error.retryable : error.mayPass)) waits(error);
        if (error instanceof NotPermittedError && !isBeginning)
          notify(`Waiting for permission: ${error.message}`);
        if (error instanceof SandboxError && error.retryable)
          notify(`Waiting for the sandbox: ${error.message}`);
        if (error instanceof LanguageModelError && error.retryable) notify(`Asking again: ${error.message}`);
        throw toFailure(error, isBeginning);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}
