import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Bytes read at a time while a recording is indexed. */
const CHUNK_BYTES = 1 << 20;

/** A recording's bytes: once in order to find the rows, then row by row. */
export interface RecordingBytes {
  chunks(): AsyncIterable<Uint8Array>;
  range(start: number, end: number): Promise<Buffer>;
  /** For who will read no more. What nobody holds any longer closes itself. */
  close(): Promise<void>;
}

// A model has no close(), and a worker may see thousands of runs: the file is closed when its reader is gone. The
// handle closes its descriptor once, after the reads in flight, and refuses what comes later. The bare number would
// belong to somebody else's file by then.
const abandoned = new FinalizationRegistry<FileHandle>((handle) => void handle.close().catch(() => {}));

/** Reads by position, not through a stream: a stream that ends early closes the descriptor that it was lent. */
class RecordingFile implements RecordingBytes {
  constructor(private readonly handle: FileHandle) {
    abandoned.register(this, handle);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const { bytesRead, buffer } = await this.handle.read(Buffer.alloc(CHUNK_BYTES), { position });
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async range(start: number, end: number): Promise<Buffer> {
    const wanted = Buffer.alloc(end - start);
    for (let filled = 0; filled < wanted.length; ) {
      const { bytesRead } = await this.handle.read(wanted, { offset: filled, position: start + filled });
      if (bytesRead === 0) throw new Error(`the file ends before byte ${end}`);
      filled += bytesRead;
    }
    return wanted;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Opens a local file. The open descriptor keeps showing the same bytes when the file is replaced meanwhile. */
export async function openRecordingFile(path: string): Promise<RecordingBytes> {
  return new RecordingFile(await open(path, 'r'));
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
