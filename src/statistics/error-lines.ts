import { printableLine } from '../contracts/printable.js';
import type { ErrorCause } from '../contracts/results.js';

/** A cause of errors as one line; its message is empty where the cause is unknown. */
export type ErrorLine = ErrorCause;

/** Returns a line for each cause, in the order of the types, and one for a type's errors of other causes. */
export function errorLines(
  counts: Readonly<Record<string, number>>,
  causes: readonly ErrorCause[] = [],
): ErrorLine[] {
  return Object.entries(counts).flatMap(([type, count]) => {
    const known = causes
      .filter((cause) => cause.type === type)
      .map((cause) => ({ ...cause, message: printableLine(cause.message) }));
    const others = known.reduce((left, cause) => left - cause.count, count);
    if (others <= 0) return known;
    return [...known, { type, count: others, message: known.length === 0 ? '' : 'of other causes' }];
  });
}

/** Formats `9 timeout: no answer in 60 s`. */
export function errorText({ type, count, message }: ErrorLine): string {
  return message === '' ? `${count} ${type}` : `${count} ${type}: ${message}`;
}
