import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Bytes per read while a recording is indexed. */
const CHUNK_BYTES = 1 << 20;

/** Bytes of a recording: read once in sequence to find the rows, then row by row. */
export interface RecordingBytes {
  chunks(): AsyncIterable<Uint8Array>;
  range(start: number, end: number): Promise<Buffer>;
  /** Closes the recording early. An abandoned one closes itself. */
  close(): Promise<void>;
}

// A model has no close(), and a worker may have thousands of runs, so the file is closed when its reader is
// garbage-collected. A FileHandle closes its descriptor once, after pending reads, and refuses further ones; a bare
// number might belong to another file by then.
const abandoned = new FinalizationRegistry<FileHandle>((handle) => void handle.close().catch(() => {}));

/** Recording in an open file, read by position: a stream that ends early would close the descriptor. */
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

/** Opens a local file. The descriptor keeps showing the same bytes if the file is replaced meanwhile. */
export async function openRecordingFile(path: string): Promise<RecordingBytes> {
  return new RecordingFile(await open(path, 'r'));
}

/** Copies a stream to a private temporary file that vanishes with this process. */
export async function spoolRecording(stream: AsyncIterable<Uint8Array | string>): Promise<RecordingBytes> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-recording-'));
  try {
    const path = join(folder, 'calls.jsonl');
    await pipeline(stream, createWriteStream(path));
    return await openRecordingFile(path);
  } finally {
    // The descriptor stays valid after the file is removed.
    await rm(folder, { recursive: true, force: true });
  }
}
