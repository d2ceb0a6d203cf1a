/**
 * Preload of the workflow thread in workers with users' agents; see workers/promise-hooks.ts. The SDK fails a workflow
 * task, in every replay, where a rejected promise has not been awaited yet: a call without `await`, or two calls that
 * were started together. Code that awaits the promise later still gets the error.
 */
const { on } = process;

process.on = function (this: NodeJS.Process, event: string, listener: (...given: unknown[]) => void) {
  const isRejection = event === 'unhandledRejection';
  const told = (error: unknown) => console.error('An agent has not awaited what was rejected:', error);
  return Reflect.apply(on, this, [event, isRejection ? told : listener]);
} as typeof process.on;
