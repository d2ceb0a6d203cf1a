import { createInflateRaw } from 'node:zlib';
import { Decompress } from 'fzstd';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { InvalidInputError } from '../../../config/errors.js';

const STORED = 0;
const DEFLATE = 8;
/** Zstandard, which Python's zipfile and Inspect write. */
const ZSTANDARD = 93;

/** Opened zip file, whose members are decompressed one at a time. */
export class ZipMembers {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly path: string,
  ) {}

  /** @throws InvalidInputError where the file is no zip file, or is cut off. */
  static async open(path: string): Promise<ZipMembers> {
    try {
      // Names are ids of samples, which may look like any path; nothing is written under them.
      const zip = await openPromise(path, { autoClose: false, decodeStrings: false });
      const entries = new Map<string, Entry>();
      // A member that was written again is listed twice: the last one counts.
      for await (const entry of zip.eachEntry()) {
        const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
        entries.set(getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true), entry);
      }
      return new ZipMembers(zip, entries, path);
    } catch (error) {
      throw new InvalidInputError(`${path} cannot be read as a zip file: ${(error as Error).message}`);
    }
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  /** Reads a member as text. @throws InvalidInputError where its compression is unknown or its bytes are damaged. */
  async text(name: string): Promise<string> {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new InvalidInputError(`${this.path} has no ${name}`);
    try {
      const raw = await this.zip.openReadStreamPromise(entry, { decodeFileData: false });
      return await textOf(decompressed(raw, entry.compressionMethod));
    } catch (error) {
      throw new InvalidInputError(`${name} in ${this.path} cannot be read: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.zip.close();
  }
}

function decompressed(raw: NodeJS.ReadableStream, method: number): AsyncIterable<Uint8Array | string> {
  if (method === STORED) return raw;
  if (method === DEFLATE) return raw.pipe(createInflateRaw());
  if (method === ZSTANDARD) return zstandard(raw);
  throw new Error(`its compression method ${method} is neither deflate (8) nor Zstandard (93)`);
}

/** Decompresses Zstandard, of one frame or several. */
async function* zstandard(raw: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const stream = new Decompress((chunk) => void ready.push(chunk));
  for await (const chunk of raw) {
    stream.push(chunk as Uint8Array);
    yield* ready;
    ready = [];
  }
  stream.push(new Uint8Array(), true);
  yield* ready;
}

async function textOf(chunks: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk as Uint8Array, { stream: true });
  return text + decoder.decode();
}
