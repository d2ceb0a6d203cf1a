import type { SymbolicComparer } from '../grading/grade.js';

/** Properties of the thread that a user's code can use. */
export interface Surroundings {
  timeoutMs: number;
  /** Aborted when the result is not needed any more. */
  signal: AbortSignal;
  compare: SymbolicComparer;
  /** Calls a function that the caller offers. @throws what it throws, as an Error */
  ask(name: string, ...given: unknown[]): Promise<unknown>;
  /** Calls a function that the caller offers, and waits for nothing. */
  tell(name: string, ...given: unknown[]): void;
  /** Begins another part of the work, which may log as much as the one before. */
  renewLog(): void;
}

/** Does one kind of work in a thread of user code: data in, data out. */
export type ThreadFunction<Input, Value> = (input: Input, around: Surroundings) => Promise<Value>;

/** Reference to work for a thread, which imports the module and calls its function. */
export interface ThreadWork<Input, Value> {
  /** Path below the folder of the build; the URL for a module outside of it. */
  module: string;
  name: string;
  /** Never set: it carries the types of input and result. */
  types?: { input: Input; value: Value };
}

/** Returns the surroundings of work that is done in the calling thread. @param offers what it may call, by name */
export function surroundingsHere(
  compare: SymbolicComparer,
  timeoutMs: number,
  offers: Readonly<Record<string, (...given: never[]) => unknown>> = {},
): Surroundings {
  const { signal } = new AbortController();
  const ask = async (name: string, ...given: unknown[]) => offers[name]?.(...(given as never[]));
  return {
    timeoutMs,
    signal,
    compare,
    ask,
    tell: (...call) => void ask(...call),
    renewLog: () => undefined,
  };
}

const BUILT = new URL('..', import.meta.url).href;

/**
 * Refers to a function that threads of user code can call.
 * @param url of its module, which exports it under its own name
 */
export function threadWork<Input, Value>(
  url: string,
  work: ThreadFunction<Input, Value>,
): ThreadWork<Input, Value> {
  const module = url.startsWith(BUILT) ? url.slice(BUILT.length).replace(/\.ts$/, '.js') : url;
  return { module, name: work.name };
}

/** Imports a function from {@link threadWork}. */
export async function importWork({
  module,
  name,
}: ThreadWork<unknown, unknown>): Promise<ThreadFunction<unknown, unknown>> {
  const exported = (await import(new URL(module, BUILT).href)) as Record<
    string,
    ThreadFunction<unknown, unknown>
  >;
  return exported[name] as ThreadFunction<unknown, unknown>;
}
