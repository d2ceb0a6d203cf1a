import { printableLine } from '../contracts/printable.js';
import type { Metrics } from '../contracts/results.js';

/** A type of error: how often it came up, and what was said first. */
export interface ErrorLine {
  type: string;
  count: number;
  /** One line; empty where the metrics are of an earlier version. */
  message: string;
}

/** One for each type of error, in the order of the metrics. */
export function errorLines(
  counts: Readonly<Record<string, number>>,
  messages: Readonly<Record<string, string>> = {},
): ErrorLine[] {
  return Object.entries(counts).map(([type, count]) => ({
    type,
    count,
    message: Object.hasOwn(messages, type) ? printableLine(messages[type] as string) : '',
  }));
}

/** `6, the first: after step 1: no answer in 60 s`. */
export function warningsText({
  warnings,
  first_warning,
}: Pick<Metrics, 'warnings' | 'first_warning'>): string {
  return first_warning === undefined
    ? `${warnings}`
    : `${warnings}, the first: ${printableLine(first_warning)}`;
}

/** `9 timeout: no answer in 60 s`. */
export function errorText({ type, count, message }: ErrorLine): string {
  return message === '' ? `${count} ${type}` : `${count} ${type}: ${message}`;
}
