/** Stand-in for a value that did not arrive in time. */
export const LATE = Symbol('late');

/**
 * Returns the promise's value, or {@link LATE} after `timeoutMs`. A busy event loop runs timers before everything else,
 * so values that have arrived in time are processed first.
 * @throws the signal's reason as soon as it is aborted.
 */
export async function settle<Value>(
  promise: Promise<Value>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Value | typeof LATE> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let stopListening = () => {};
  try {
    return await Promise.race([
      promise,
      new Promise<typeof LATE>((resolve, reject) => {
        const late = () => setImmediate(resolve, LATE);
        timer = setTimeout(late, Math.min(timeoutMs, MAXIMUM_DELAY_MS));
        const abort = () => reject(signal?.reason);
        signal?.addEventListener('abort', abort);
        stopListening = () => signal?.removeEventListener('abort', abort);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** Maximum delay of a Node timer; a longer one fires at once. */
const MAXIMUM_DELAY_MS = 2 ** 31 - 1;
