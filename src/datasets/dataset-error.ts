import { quotable } from '../config/named-files.js';
import { MACHINE_CODES } from '../contracts/infrastructure-error.js';

/**
 * A dataset that cannot be read or does not fit its config. The message is complete: it names the row, the field of the
 * config and the value found. The CLI prints it and exits with 2.
 */
export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  /** Path of the field in the config, e.g. `dataset.input_field`. */
  readonly field: string;
  /** True where the same call may succeed later: the hub is down, the network fails, or the disk is full. */
  readonly retryable: boolean;

  constructor(message: string, field: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.field = field;
    this.retryable = options.retryable ?? false;
  }
}

/** Returns the message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const RETRYABLE_SYSTEM_CODES = new Set([...MACHINE_CODES, 'EAGAIN', 'ESTALE']);

/** Wraps an error from reading a file in a {@link DatasetError} that names the file. */
export function fileReadError(error: unknown, path: string, field: string): DatasetError {
  if (error instanceof DatasetError) return error;
  const { code, path: missing = path } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return new DatasetError(`there is no ${missing} (${field})`, field, { cause: error });
  const retryable = code !== undefined && RETRYABLE_SYSTEM_CODES.has(code);
  // The CSV parser's message quotes the field at which it failed.
  const reason = code?.startsWith('CSV_')
    ? quotable(reasonOf(error), code.toLowerCase().replaceAll('_', ' '))
    : reasonOf(error);
  const hint = code?.includes('QUOTE')
    ? '; a value in quotes has nothing before or after them, and each quote inside it twice'
    : '';
  return new DatasetError(`cannot read ${path} (${field}): ${reason}${hint}`, field, {
    cause: error,
    retryable,
  });
}
