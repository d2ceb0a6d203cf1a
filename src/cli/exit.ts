import { InvalidInputError } from '../config/errors.js';
import { asError } from '../contracts/run-user-code.js';
import { DatasetError } from '../datasets/dataset-error.js';
import { JsonLinesError } from '../storage/json-lines.js';
import { StorageError } from '../storage/storage-error.js';

/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** Also where nothing could be judged, or less than was asked for. */
  failed: 1,
  badInput: 2,
  /** Something is left to do for the same command: a limit, `stop` or an outage came before the end. */
  unfinished: 3,
  interrupted: 130,
} as const;

/** What to print for an error and how to exit. Only an unforeseen error shows where it came from. */
export function explain(thrown: unknown): { message: string; code: number } {
  const error = asError(thrown);
  const isInput = error instanceof InvalidInputError || error instanceof JsonLinesError;
  if (isInput || (error instanceof DatasetError && !error.retryable)) {
    return { message: error.message, code: EXIT.badInput };
  }
  if (error instanceof StorageError) return { message: error.message, code: EXIT.failed };
  const shown = process.env.REPRISE_DEBUG ? (error.stack ?? error.message) : error.message;
  return { message: shown, code: EXIT.failed };
}
