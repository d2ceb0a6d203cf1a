/** Preloaded into the workflow thread; see promise-hooks.ts. */
import v8 = require('node:v8');

v8.promiseHooks.createHook = () => () => undefined;
