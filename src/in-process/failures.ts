import { messageWithPlace } from '../contracts/place-of-error.js';
import type { EpisodeError } from '../contracts/results.js';
import { asError } from '../contracts/run-user-code.js';
import { LanguageModelError } from '../language-models/errors.js';
import { CallRefusedError } from '../runtime/ports.js';

/** A call that failed for good: its episode becomes an error row. */
export class CallFailedError extends Error {
  constructor(readonly problem: EpisodeError) {
    super(problem.message);
    this.name = problem.type;
  }
}

/** Nothing that follows could succeed: the run ends as failed and keeps what it has. */
export class FatalRunError extends Error {
  override readonly name = 'FatalRunError';
}

/** What a call's last attempt means. The same words as in a durable run's rows. */
export function finalFailure(error: unknown, failures: number): Error {
  if (!(error instanceof LanguageModelError)) {
    return new FatalRunError(asError(error).message);
  }
  const message = error.retryable ? `${error.message} (gave up after ${failures} attempts)` : error.message;
  return error.fatalForRun ? new FatalRunError(message) : new CallFailedError({ type: error.kind, message });
}

/** An error that ends a lane and is no episode's. */
export function isInterruption(thrown: unknown): boolean {
  const error = asError(thrown);
  return error instanceof CallRefusedError || error instanceof FatalRunError;
}

/**
 * What an error row says.
 * @param file of the user's own that may have thrown it
 */
export function describeError(thrown: unknown, file?: string): EpisodeError {
  const error = asError(thrown);
  return { type: error.name, message: messageWithPlace(error, file) };
}
