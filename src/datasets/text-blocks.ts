import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DatasetError } from './dataset-error.js';

const BLOCK_BYTES = 256 * 1024;

/** The ending of a file that is packed with gzip, beside the one of what is in it. */
export const PACKED = /\.gz$/i;

/**
 * The bytes of a text file, unpacked where its name ends in .gz.
 * @throws DatasetError where they begin as UTF-16, which Excel calls Unicode text.
 */
export async function* blocksOf(path: string, field: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  // The last stream's errors, and those of the streams before it, come out of the iteration.
  const stream = PACKED.test(path) ? pipeline(file, createGunzip(), () => {}) : file;
  let isFirst = true;
  for await (const block of stream as AsyncIterable<Uint8Array>) {
    const [first, second] = block;
    if (isFirst && ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))) {
      throw new DatasetError(`${path} (${field}) is UTF-16: save it as UTF-8`, field);
    }
    isFirst = false;
    yield block;
  }
}

/** Decoded strictly, so that a file in another encoding is named instead of silently garbled. */
export async function* strictText(
  blocks: AsyncIterable<Uint8Array>,
  path: string,
  field: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const block of blocks) yield decoder.decode(block, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DatasetError(`${path} (${field}) is not UTF-8: save it in that encoding`, field, {
      cause: error,
    });
  }
}
