import type { Readable } from 'node:stream';
import { StorageError } from './storage-error.js';

export interface WriteOptions {
  /** Write only where nothing is there yet; of any number of concurrent writers exactly one wins. */
  ifAbsent?: boolean;
}

/** One object of a listing. */
export interface ListedArtifact {
  key: string;
  bytes: number;
}

/**
 * Files under one folder or one bucket prefix. A key is a relative POSIX path (see {@link checkKey}).
 * An object is seen whole or not at all, whatever is killed while it is written.
 * What goes wrong is thrown as a {@link StorageError}; a store does not retry, its caller does.
 */
export interface ArtifactStore {
  /** `file:///absolute/folder` or `s3://bucket/prefix`, without a trailing slash. */
  readonly uri: string;
  /** The object's bytes, or `null` where there is no such object. */
  read(key: string): Promise<Uint8Array | null>;
  /** The object as UTF-8 text, or `null` where there is no such object. */
  readText(key: string): Promise<string | null>;
  /** The object as a stream, for large files, or `null` where there is no such object. */
  openRead(key: string): Promise<Readable | null>;
  /** Writes or replaces an object. Answers `false` when `ifAbsent` was asked for and the object existed already. */
  write(key: string, body: Uint8Array | string, options?: WriteOptions): Promise<boolean>;
  /** Writes an object from a stream. When the source throws, its error is passed on and nothing is left behind. */
  writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }>;
  /** Every object whose key starts with `prefix` (as a string, so `part` finds `parts/1`), sorted by key. */
  list(prefix: string): AsyncIterable<ListedArtifact>;
  /** Deletes objects; an absent key is fine. */
  delete(keys: string[]): Promise<void>;
  /** Deletes everything below a folder, what dead writers left half-written included. No folder is fine. */
  deleteFolder(folder: string): Promise<void>;
  /** Removes what dead writers left half-written, wherever it lies. */
  sweep(): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** The store of everything below `prefix/`. */
  within(prefix: string): ArtifactStore;
}

// S3 allows 1,024 bytes a key; file systems 255 bytes a name, of which the temporary name's mark takes some.
const MAXIMUM_KEY_BYTES = 900;
const MAXIMUM_SEGMENT_BYTES = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f\\]/;

/** Says what is wrong with a key, or `null` when it is a clean relative POSIX path. */
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

/** Checks a list prefix: as a key, but it may be empty or end with a slash. */
export function checkPrefix(uri: string, prefix: string): void {
  if (prefix !== '') checkKey(uri, prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Orders keys by their UTF-8 bytes, as S3 lists them; UTF-16 order differs beyond the basic plane. */
export function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
