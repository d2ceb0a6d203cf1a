import type { Readable } from 'node:stream';
import { StorageError } from './storage-error.js';

export interface WriteOptions {
  /** True to write only if the object does not exist; of concurrent writers exactly one succeeds. */
  ifAbsent?: boolean;
}

export interface ListedArtifact {
  key: string;
  bytes: number;
}

/**
 * Files under one folder or one bucket prefix. A key is a relative POSIX path (see {@link checkKey}). An object is
 * visible completely or not at all, even if its writer is killed. Failures are thrown as {@link StorageError}; a store
 * does not retry, its caller does.
 */
export interface ArtifactStore {
  /** URI `file:///absolute/folder` or `s3://bucket/prefix`, without a trailing slash. */
  readonly uri: string;
  /** Reads the object's bytes, or `null` where it does not exist. */
  read(key: string): Promise<Uint8Array | null>;
  /** Reads the object as UTF-8 text, or `null` where it does not exist. */
  readText(key: string): Promise<string | null>;
  /**
   * Reads `length` bytes from `start` on, fewer where the object ends before; `null` where it does not exist.
   * @param start less than the object's length, which S3 requires
   */
  readRange(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Opens the object as a stream, for large files, or `null` where it does not exist. */
  openRead(key: string): Promise<Readable | null>;
  /** Writes or replaces an object. Returns `false` where `ifAbsent` is set and the object existed already. */
  write(key: string, body: Uint8Array | string, options?: WriteOptions): Promise<boolean>;
  /** Writes an object from a stream. When the source throws, its error is passed on and nothing is written. */
  writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }>;
  /** Lists every object whose key starts with `prefix` (as a string, so `part` finds `parts/1`), sorted by key. */
  list(prefix: string): AsyncIterable<ListedArtifact>;
  /** Lists the names of the folders directly in `folder`, sorted; in the store's own where it is empty. */
  folders(folder: string): Promise<string[]>;
  /** Deletes objects; missing ones are ignored. */
  delete(keys: string[]): Promise<void>;
  /** Deletes everything below a folder, including partial files of dead writers. A missing folder is ignored. */
  deleteFolder(folder: string): Promise<void>;
  /** Removes all partial files of dead writers. */
  sweep(): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Returns the store of everything below `prefix/`. */
  within(prefix: string): ArtifactStore;
}

// S3 allows 1,024 bytes in a key; file systems 255 bytes in a name, of which the suffix of temporary names takes some.
const MAXIMUM_KEY_BYTES = 900;
const MAXIMUM_SEGMENT_BYTES = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f\\]/;

/** Describes the fault of a key; `null` where it is a valid relative POSIX path. */
function keyFault(key: string): string | null {
  if (key === '') return 'is empty';
  if (FORBIDDEN_CHARACTERS.test(key)) return 'has a control character or a backslash';
  if (Buffer.byteLength(key) > MAXIMUM_KEY_BYTES) return `is longer than ${MAXIMUM_KEY_BYTES} bytes`;
  for (const segment of key.split('/')) {
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return `has a '${segment}' segment`;
    if (Buffer.byteLength(segment) > MAXIMUM_SEGMENT_BYTES)
      return `has a segment longer than ${MAXIMUM_SEGMENT_BYTES} bytes`;
  }
  return null;
}

/**
 * Checks that a key is a relative POSIX path: no leading or trailing slash, no empty, `.` or `..` segment.
 * @throws StorageError (final) that quotes the key.
 */
export function checkKey(uri: string, key: string): void {
  const fault = keyFault(key);
  if (fault === null) return;
  throw new StorageError({
    message: `${JSON.stringify(key)} is no key for ${uri}: it ${fault}`,
    uri,
    key,
    code: 'InvalidKey',
    retryable: false,
  });
}

/** Checks a list prefix: like a key, but it may be empty or end with a slash. */
export function checkPrefix(uri: string, prefix: string): void {
  if (prefix !== '') checkKey(uri, prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Compares keys by their UTF-8 bytes, as S3 orders them; UTF-16 order differs beyond the basic plane. */
export function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
