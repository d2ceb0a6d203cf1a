import { close, createReadStream, createWriteStream, open, read } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const openFile = promisify(open);
const readAt = promisify(read);

/** Bytes read at a time while a recording is indexed. */
const CHUNK_BYTES = 1 << 20;

/** A recording's bytes: once in order to find the rows, then row by row. */
export interface RecordingBytes {
  chunks(): AsyncIterable<Uint8Array>;
  range(start: number, end: number): Promise<Buffer>;
}

// A model has no close(), and a worker may see thousands of runs: the descriptor goes when its reader does.
const abandoned = new FinalizationRegistry<number>((descriptor) => close(descriptor, () => {}));

/** Opens a local file. The open descriptor keeps showing the same bytes when the file is replaced meanwhile. */
export async function openRecordingFile(path: string): Promise<RecordingBytes> {
  const descriptor = await openFile(path, 'r');
  const bytes: RecordingBytes = {
    chunks: () =>
      createReadStream(path, { fd: descriptor, autoClose: false, start: 0, highWaterMark: CHUNK_BYTES }),
    async range(start, end) {
      const buffer = Buffer.alloc(end - start);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await readAt(
          descriptor,
          buffer,
          filled,
          buffer.length - filled,
          start + filled,
        );
        if (bytesRead === 0) throw new Error(`the file ends before byte ${end}`);
        filled += bytesRead;
      }
      return buffer;
    },
  };
  abandoned.register(bytes, descriptor);
  return bytes;
}

/** Copies a stream to a temporary file that nobody else sees and that vanishes with this process. */
export async function spoolRecording(stream: AsyncIterable<Uint8Array | string>): Promise<RecordingBytes> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-recording-'));
  try {
    const path = join(folder, 'calls.jsonl');
    await pipeline(stream, createWriteStream(path));
    return await openRecordingFile(path);
  } finally {
    // The descriptor stays good after its name is gone.
    await rm(folder, { recursive: true, force: true });
  }
}
