import type { SymbolicComparer } from '../grading/grade.js';

/** What code of a user's is shown of its thread. */
export interface Surroundings {
  timeoutMs: number;
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
  compare: SymbolicComparer;
}

/** Does one kind of work in a thread of user code: data in, data out. */
export type ThreadFunction<Input, Value> = (input: Input, around: Surroundings) => Promise<Value>;

/** Work as it is named to a thread, which imports the module and calls its function. */
export interface ThreadWork<Input, Value> {
  /** Below the folder of what was built; a module of somebody else's by its address. */
  module: string;
  name: string;
  /** Is never there: says what goes in and comes out. */
  types?: { input: Input; value: Value };
}

const BUILT = new URL('..', import.meta.url).href;

/**
 * Names a function that threads of user code can call.
 * @param url of its module, which exports it under its own name
 */
export function threadWork<Input, Value>(
  url: string,
  work: ThreadFunction<Input, Value>,
): ThreadWork<Input, Value> {
  const module = url.startsWith(BUILT) ? url.slice(BUILT.length).replace(/\.ts$/, '.js') : url;
  return { module, name: work.name };
}

/** Imports what {@link threadWork} named. */
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
