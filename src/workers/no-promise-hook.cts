/** Preloaded into the workflow thread; see promise-hooks.ts. */
import v8 = require('node:v8');

// A new object in place of the old one: Node's own AsyncLocalStorage, on which cancellation scopes rest, calls
// `createHook` of the old one, and must continue doing so.
Object.assign(v8, { promiseHooks: { ...v8.promiseHooks, createHook: () => () => undefined } });
