/*
 * Users' code may throw anything. It must not affect what runs beside it: another row, another experiment, the worker.
 */

/** Characters of a message. A longer one does not fit into a history, and is no more useful. */
const LONGEST_MESSAGE = 10_000;
/** Characters that may be added around a message that was cut already. */
const AROUND = 1000;
const LONGEST_VALUE = 500;
const NO_WORDS = 'something was thrown that cannot be put into words; throw an Error with a message';

/** Replacement for a thrown value that is no proper Error; its stack does not show where the value was created. */
export class ThrownValue extends Error {}

/**
 * Converts a thrown value into an Error whose message, name and stack are strings: itself if it is one, else a new one
 * with its text. Never throws.
 */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) {
      const { message, name, stack } = thrown;
      const areTexts = [message, name, stack ?? ''].every((text) => typeof text === 'string');
      if (areTexts && message.length <= LONGEST_MESSAGE + AROUND) return thrown;
    }
  } catch {
    // A proxy, or a field that throws when it is read.
  }
  const error = new ThrownValue(wordsOf(thrown));
  try {
    const { name, stack } = thrown as Error;
    if (typeof name === 'string' && name !== '') error.name = name;
    if (typeof stack === 'string') error.stack = stack.slice(0, LONGEST_MESSAGE);
  } catch {
    // The message is enough.
  }
  return error;
}

function wordsOf(thrown: unknown): string {
  try {
    const words = textOf(thrown);
    if (words.length <= LONGEST_MESSAGE) return words;
    const end = `… (${words.length} characters)`;
    return words.slice(0, LONGEST_MESSAGE - end.length) + end;
  } catch {
    return NO_WORDS;
  }
}

function textOf(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return `${thrown} was thrown`;
  if (typeof thrown !== 'object') return String(thrown);
  const { message } = thrown as { message?: unknown };
  if (message !== undefined && message !== '') return textOf(message);
  const text = thrown instanceof Error ? undefined : (JSON.stringify(thrown) as string | undefined);
  return text === undefined || text === '{}' ? NO_WORDS : text;
}

/** Formats a user's value for a message. */
export function shownValue(value: unknown): string {
  try {
    if (typeof value === 'bigint') return `${value}n`;
    const isPlain = typeof value === 'number' || value === undefined;
    const text = isPlain ? String(value) : ((JSON.stringify(value) as string | undefined) ?? String(value));
    return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
  } catch {
    return `what cannot be shown (${typeof value})`;
  }
}

/** Runs a user's code to its end. @throws a proper Error, whatever the code throws; see {@link asError} */
export async function runUserCode<Value>(work: () => Value | PromiseLike<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw asError(thrown);
  }
}

/** Does the same as {@link runUserCode} for synchronous code. */
export function runAtOnce<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw asError(thrown);
  }
}
