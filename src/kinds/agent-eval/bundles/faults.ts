import { InvalidInputError } from '../../../config/errors.js';

/** Fault of a bundle. */
export interface BundleFault {
  /** Path of the file, or of the bundle's folder. */
  file: string;
  /** Line of the file, from 1; null if the fault is not in a single line. */
  line: number | null;
  /** Id of the row; null if it has none, or the fault is not in a single row. */
  row: string | null;
  /** Path of the field, such as `oracle[1].tool`; empty if the fault is not in a single field. */
  field: string;
  message: string;
}

export function describeFault({ file, line, row, field, message }: BundleFault): string {
  const place = `${file}${line === null ? '' : ` line ${line}`}${row === null ? '' : ` (${row})`}`;
  return `${place}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** Error of a bundle that cannot be used. The message has a line for each fault. */
export class BundleError extends InvalidInputError {
  constructor(readonly faults: readonly BundleFault[]) {
    super(faults.map(describeFault).join('\n'), faults[0]?.field ?? '');
  }
}
