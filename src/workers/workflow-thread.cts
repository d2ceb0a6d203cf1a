/** Entry of the thread of workflows, in the place of the SDK's; see workflow-threads.ts. */
import v8 = require('node:v8');
import loadBundled = require('./bundled.cjs');

// A new object in place of the old one: Node's own AsyncLocalStorage, on which cancellation scopes rest, calls
// `createHook` of the old one, and must continue doing so.
Object.assign(v8, { promiseHooks: { ...v8.promiseHooks, createHook: () => () => undefined } });

if (loadBundled('workflow-thread') === undefined)
  require('@temporalio/worker/lib/workflow/workflow-worker-thread');
