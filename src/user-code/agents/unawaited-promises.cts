/**
 * Preloaded into the workflow thread of workers that have users' agents; see workers/promise-hooks.ts. The SDK fails a
 * workflow's task, in every replay, where a promise is rejected that nothing has awaited by then: a call without `await`, or
 * two that were begun together. Code that awaits it later is thrown what it was rejected with all the same.
 */
const { on } = process;

process.on = function (this: NodeJS.Process, event: string, listener: (...given: unknown[]) => void) {
  const isRejection = event === 'unhandledRejection';
  const told = (error: unknown) => console.error('An agent has not awaited what was rejected:', error);
  return Reflect.apply(on, this, [event, isRejection ? told : listener]);
} as typeof process.on;
