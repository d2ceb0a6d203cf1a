import { printableLine } from '../contracts/printable.js';
import type { ErrorCause } from '../contracts/results.js';

/** A cause of errors as one line; its message is empty where nothing more is known of it. */
export type ErrorLine = ErrorCause;

/** One for each cause, in the order of the types; what of a type has no cause of its own in the metrics is one more. */
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

/** `9 timeout: no answer in 60 s`. */
export function errorText({ type, count, message }: ErrorLine): string {
  return message === '' ? `${count} ${type}` : `${count} ${type}: ${message}`;
}
