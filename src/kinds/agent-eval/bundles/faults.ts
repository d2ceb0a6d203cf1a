import { InvalidInputError } from '../../../config/errors.js';

/** One thing that is wrong with a bundle. */
export interface BundleFault {
  /** Path of the file, as it was given. */
  file: string;
  /** Line of the file, from 1; null where the fault is not one line's. */
  line: number | null;
  /** The row's id; null where it has none or the fault is not one row's. */
  row: string | null;
  /** Path of the field, such as `oracle[1].tool`; empty where it is not one field's. */
  field: string;
  message: string;
}

export function describeFault({ file, line, row, field, message }: BundleFault): string {
  const place = `${file}${line === null ? '' : ` line ${line}`}${row === null ? '' : ` (${row})`}`;
  return `${place}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** A bundle cannot be used. The message has a line for each fault. */
export class BundleError extends InvalidInputError {
  constructor(readonly faults: readonly BundleFault[]) {
    super(faults.map(describeFault).join('\n'), faults[0]?.field ?? '');
  }
}
