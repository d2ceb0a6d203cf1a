/** undici keeps its global dispatcher under this symbol; @google/genai finds it in the same way. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

const withoutTimeouts: Dispatcher = {
  dispatch(options, handler) {
    const global = (globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher })[GLOBAL_DISPATCHER];
    if (global === undefined) throw new Error('this Node has no undici dispatcher');
    return global.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/**
 * Node's fetch without its own limits: undici gives up after 300 s without headers, or between two parts of a
 * body, which would cut a `timeout_sec` above that short. The deadline is `guard`'s.
 */
export const providerFetch: typeof fetch = (input, init) => {
  // Node installs the dispatcher when its fetch is first touched.
  new Headers();
  const known = GLOBAL_DISPATCHER in globalThis;
  return fetch(input, known ? ({ ...init, dispatcher: withoutTimeouts } as RequestInit) : init);
};
