import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DatasetError } from './dataset-error.js';

const BLOCK_BYTES = 256 * 1024;

/** Pattern of the ending of gzip files, after the ending of the content. */
export const PACKED = /\.gz$/i;

/**
 * Reads the bytes of a text file, decompressed where its name ends in .gz.
 * @throws DatasetError where they begin as UTF-16, which Excel calls Unicode text, with its mark or without.
 */
export async function* blocksOf(path: string, field: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  // Errors of every stream of the pipeline are thrown by the iteration.
  const stream = PACKED.test(path) ? pipeline(file, createGunzip(), () => {}) : file;
  let isFirst = true;
  for await (const block of stream as AsyncIterable<Uint8Array>) {
    const [first, second] = block;
    const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (isFirst && (isMarked || first === 0 || second === 0)) {
      throw new DatasetError(`${path} (${field}) is UTF-16: save it as UTF-8`, field);
    }
    isFirst = false;
    yield block;
  }
}

/** Decodes UTF-8 strictly, so that another encoding is an error instead of silently wrong text. */
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
