import { CommanderError } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { asError } from '../contracts/run-user-code.js';
import { DatasetError } from '../datasets/dataset-error.js';
import { JsonLinesError } from '../storage/json-lines.js';
import { StorageError } from '../storage/storage-error.js';

/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** Also where nothing could be judged, or there are too many errors. */
  failed: 1,
  badInput: 2,
  /** The same command has work left: a limit, `stop` or an outage ended the experiment early. */
  unfinished: 3,
  interrupted: 130,
} as const;

/** Returns the message and the exit code for an error. Unforeseen errors show their stack with REPRISE_DEBUG. */
export function explain(thrown: unknown): { message: string; code: number } {
  const error = asError(thrown);
  // Help and version exit with 0; a wrong option is bad input like any other.
  if (error instanceof CommanderError)
    return { message: error.message, code: error.exitCode === 0 ? EXIT.done : EXIT.badInput };
  const isInput = error instanceof InvalidInputError || error instanceof JsonLinesError;
  if (isInput || (error instanceof DatasetError && !error.retryable)) {
    return { message: error.message, code: EXIT.badInput };
  }
  if (error instanceof StorageError) return { message: error.message, code: EXIT.failed };
  const shown = process.env.REPRISE_DEBUG ? (error.stack ?? error.message) : error.message;
  return { message: shown, code: EXIT.failed };
}
