import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { CallIdentity } from '../contracts/language-model.js';
import { LanguageModelError } from './errors.js';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Schema of the fields that identify a row's call. Other programs' recordings may leave out constant ones. */
const identitySchema = z.object({
  sample_id: z.union([z.string(), z.number()]).transform(String),
  trial: z.int().min(0).default(0),
  purpose: z.string().min(1).default('act'),
  ordinal: z.int().min(0).default(0),
  text: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
});

function keyOf(call: { sample_id: string; trial: number; purpose: string; ordinal: number }): string {
  return `${call.trial} ${call.ordinal} ${call.purpose} ${call.sample_id}`;
}

function checkLine(bytes: Buffer): z.output<typeof identitySchema> | string {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return 'is no JSON';
  }
  const parsed = identitySchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return issue?.path.length ? `${issue.path.join('.')}: ${issue.message}` : 'is no JSON object';
  }
  if (typeof parsed.data.text !== 'string' && !parsed.data.tool_calls?.length) {
    return 'has neither text nor tool_calls';
  }
  return parsed.data;
}

/** Yields the bytes of every line, without its newline, and the offset of its start. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; start: number }> {
  let pending: Buffer[] = [];
  let start = 0;
  let position = 0;
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end);
      yield { bytes: pending.length === 0 ? rest : Buffer.concat([...pending, rest]), start };
      pending = [];
      from = end + 1;
      start = position + from;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
    position += chunk.length;
  }
  if (pending.length > 0) yield { bytes: Buffer.concat(pending), start };
}

/** Bytes per read while a recording is indexed. */
const CHUNK_BYTES = 1 << 20;

/** Bytes of a recording: read once in sequence to find the rows, then row by row. */
interface RecordingBytes {
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

/**
 * Index of the rows of a recording by their calls. Holds a key and two numbers per row, never the rows. Of several rows
 * of one call the last one counts: a run that repeats a call appends the row that it continued with.
 */
export class RecordingIndex {
  private constructor(
    private readonly bytes: RecordingBytes,
    private readonly rows: ReadonlyMap<string, number>,
    private readonly starts: readonly number[],
    private readonly ends: readonly number[],
  ) {}

  /**
   * Reads a recording once from end to end.
   * @param name named in errors.
   * @throws LanguageModelError (`configuration`) that names the file and the line that is wrong.
   */
  static async build(bytes: RecordingBytes, name: string): Promise<RecordingIndex> {
    try {
      return await RecordingIndex.read(bytes, name);
    } catch (error) {
      // Later calls open the file again.
      await bytes.close();
      throw error;
    }
  }

  private static async read(bytes: RecordingBytes, name: string): Promise<RecordingIndex> {
    const rows = new Map<string, number>();
    const starts: number[] = [];
    const ends: number[] = [];
    let number = 0;
    for await (const line of lines(bytes.chunks())) {
      number++;
      const marked = number === 1 && line.bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
      const content = line.bytes.subarray(marked);
      if (content.every((byte) => byte <= 0x20)) continue;
      const row = checkLine(content);
      if (typeof row === 'string') {
        throw new LanguageModelError('configuration', `recording ${name}, line ${number}: ${row}`, {
          provider: 'replay',
        });
      }
      rows.set(keyOf(row), starts.length);
      starts.push(line.start + marked);
      ends.push(line.start + line.bytes.length);
    }
    return new RecordingIndex(bytes, rows, starts, ends);
  }

  /** Number of calls that can be replayed. */
  get size(): number {
    return this.rows.size;
  }

  /** Returns the parsed row of a call, or undefined if there is none. */
  async find(call: CallIdentity): Promise<Record<string, unknown> | undefined> {
    const row = this.rows.get(keyOf(call));
    if (row === undefined) return undefined;
    const line = await this.bytes.range(this.starts[row] ?? 0, this.ends[row] ?? 0);
    return JSON.parse(line.toString('utf8')) as Record<string, unknown>;
  }
}
