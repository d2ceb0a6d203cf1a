/*
 * Code of users may throw anything, and may overwrite what the language itself offers. Neither may reach what runs beside
 * it: another row, another experiment, the worker.
 */

/** Of a message. A longer one fits into no history, and says no more. */
const LONGEST_MESSAGE = 10_000;
/** What may be said around one that was cut already. */
const AROUND = 1000;
const LONGEST_VALUE = 500;
const NO_WORDS = 'something was thrown that cannot be put into words; throw an Error with a message';

/** In the place of what was thrown and is no Error of words: it does not say where it was made. */
export class ThrownValue extends Error {}

/**
 * What was thrown as an Error with a message, a name and a stack that are texts: itself where it is one, else one made of
 * its words. Never throws.
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
    // Its words are enough.
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

/** A value of a user's as a message shows it. */
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

/** A property of the language's own that is a function or is computed, and where it is. */
interface Intrinsic {
  owner: object;
  key: PropertyKey;
  descriptor: PropertyDescriptor;
}

const { defineProperty, getOwnPropertyDescriptor } = Object;

/** On which everything stands. Clocks, dice, timers and consoles are not among them: some replace them on purpose. */
const NAMES =
  `AggregateError Array ArrayBuffer BigInt Boolean DataView Error EvalError Function JSON Map Number Object
  Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError Uint8Array
  WeakMap WeakSet decodeURIComponent encodeURIComponent isFinite isNaN parseFloat parseInt`.split(/\s+/);
/** Engines and tools that show stacks set these. */
const NOT_OURS: readonly PropertyKey[] = ['captureStackTrace', 'prepareStackTrace'];

function propertyOf(owner: object, key: PropertyKey): Intrinsic | undefined {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return descriptor?.configurable === true ? { owner, key, descriptor } : undefined;
}

/** Its functions, and what it computes. */
function methodsOf(owner: object): Intrinsic[] {
  return Reflect.ownKeys(owner)
    .filter((key) => !NOT_OURS.includes(key))
    .map((key) => propertyOf(owner, key))
    .filter((found) => found !== undefined)
    .filter(({ descriptor: { value, get } }) => typeof value === 'function' || get !== undefined);
}

/** As they are before any code of a user's is loaded. */
const INTRINSICS: readonly Intrinsic[] = (() => {
  const globals = NAMES.map((name) => propertyOf(globalThis, name)).filter((found) => found !== undefined);
  const values = globals.map(({ descriptor }) => descriptor.value as object);
  const iterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
  const typedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object };
  const owners = new Set([...values, iterator, Object.getPrototypeOf(iterator) as object, typedArray]);
  for (const owner of [...owners]) {
    if (typeof owner === 'function' && typeof owner.prototype === 'object') owners.add(owner.prototype);
  }
  return [...globals, ...[...owners].flatMap(methodsOf)];
})();

/** Puts back what code of a user's has overwritten of the language. What it has added stays. */
export function putBackIntrinsics(): void {
  // Nothing here may be overwritten itself: neither iteration nor a method.
  for (let index = 0; index < INTRINSICS.length; index += 1) {
    const { owner, key, descriptor } = INTRINSICS[index] as Intrinsic;
    const now = descriptor.get
      ? getOwnPropertyDescriptor(owner, key)?.get
      : (owner as Record<PropertyKey, unknown>)[key];
    if (now !== (descriptor.get ?? descriptor.value)) defineProperty(owner, key, descriptor);
  }
}

/**
 * Runs code of a user's to its end. What it has overwritten of the language is put back before anything else runs.
 * @throws an Error of words, whatever it throws; see {@link asError}
 */
export async function runUserCode<Value>(work: () => Value | PromiseLike<Value>): Promise<Value> {
  try {
    // What is awaited beside it needs the language as it is.
    return await runAtOnce(work);
  } catch (thrown) {
    putBackIntrinsics();
    throw asError(thrown);
  } finally {
    putBackIntrinsics();
  }
}

/** {@link runUserCode} of what answers at once. */
export function runAtOnce<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    putBackIntrinsics();
    throw asError(thrown);
  } finally {
    putBackIntrinsics();
  }
}
