import { PassThrough, type Readable } from 'node:stream';

/**
 * Collects small pieces of a source into blocks of about `blockBytes`, so that small pieces do not cost a system call
 * each. `onSourceError` receives the source's own failure before it is thrown, because a consumer that wraps errors
 * must not take it for a failure of the store.
 */
export async function* chunked(
  source: AsyncIterable<Uint8Array | string>,
  blockBytes: number,
  onSourceError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await nextOf(iterator, onSourceError);
      if (next.done) break;
      const piece = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
      pieces.push(piece);
      size += piece.byteLength;
      if (size < blockBytes) continue;
      yield pieces.length === 1 ? piece : Buffer.concat(pieces, size);
      pieces = [];
      size = 0;
    }
    if (size > 0) yield Buffer.concat(pieces, size);
  } finally {
    await iterator.return?.();
  }
}

async function nextOf<Item>(iterator: AsyncIterator<Item>, onError: (error: unknown) => void) {
  try {
    return await iterator.next();
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** Passes a stream on, with failures mapped by `mapError`. Destroying the result releases the source. */
export function withMappedErrors(source: Readable, mapError: (error: unknown) => unknown): Readable {
  const output = new PassThrough({ highWaterMark: source.readableHighWaterMark });
  source.on('error', (error) => output.destroy(mapError(error) as Error));
  source.on('close', () => {
    if (!source.readableEnded && !output.destroyed) {
      output.destroy(
        mapError(Object.assign(new Error('the stream was cut off'), { code: 'ECONNRESET' })) as Error,
      );
    }
  });
  output.on('close', () => source.destroy());
  // An early failure must not end the process as an unhandled 'error' event: the reader gets it later.
  output.on('error', () => {});
  return source.pipe(output);
}

/**
 * Runs `action` over the items, at most `limit` at once. Throws the first failure, after those in progress have
 * settled.
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  limit: number,
  action: (item: Item) => Promise<void>,
): Promise<void> {
  let position = 0;
  let failed = false;
  const lane = async () => {
    while (position < items.length && !failed) {
      const item = items[position] as Item;
      position += 1;
      await action(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
