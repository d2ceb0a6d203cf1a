import type { Dirent } from 'node:fs';
import { open, readdir, readFile, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  type ArtifactStore,
  checkKey,
  checkPrefix,
  compareKeys,
  type ListedArtifact,
  type WriteOptions,
} from './artifact-store.js';
import { isTemporaryName, sweepOrphan, writeSmall, writeThrough } from './atomic-write.js';
import { chunked, forEachConcurrently, withMappedErrors } from './byte-streams.js';
import { isThere, nullWhenAbsent } from './file-presence.js';
import { StorageError, type StorageOperation, systemCode } from './storage-error.js';

const STREAM_BLOCK_BYTES = 256 * 1024;
const CONCURRENT_DELETES = 16;
/** Maximum bytes of a body that is written synchronously, except for the flush. */
const SMALL_BYTES = 256 * 1024;

/** Codes of problems that a person can fix while a run waits: a permission, a mount, the path. */
const MENDABLE_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOTEMPTY',
]);

/**
 * Codes of failures that recur in the same call unless a person fixes them, where that is possible. At the start of a
 * run they end it at once: the usual cause is a `results_dir` without write permission. All others (a full disk, an I/O
 * error, too many open files, a stale network mount, …) may be temporary, and an activity is retried: a run waits until
 * a full disk has space instead of ending.
 */
const FINAL_CODES: ReadonlySet<string> = new Set([
  ...MENDABLE_CODES,
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
]);

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not do that there',
  EPERM: 'this user may not do that there',
  EROFS: 'the file system is mounted read-only',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'a folder is in its place',
  EEXIST: 'a part of its path is a file',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
};

/** Turns a system error into a {@link StorageError}; returns any other error (a bug, a source's) unchanged. */
export function fileError(
  error: unknown,
  operation: StorageOperation,
  uri: string,
  key: string | null,
): unknown {
  const code = systemCode(error);
  if (error instanceof StorageError || code === null) return error;
  const subject = key === null || key === '' ? uri : `${key} in ${uri}`;
  const hint = HINTS[code] ?? (error instanceof Error ? error.message : String(error));
  return new StorageError({
    message: `cannot ${operation} ${subject}: ${code}: ${hint}`,
    uri,
    key,
    code,
    retryable: !FINAL_CODES.has(code),
    mendable: MENDABLE_CODES.has(code),
    cause: error,
  });
}

const CONCURRENT_STATS = 64;

/** Lists the files below `root` whose path starts with `prefix`, sorted; sweeps orphaned temporary files. */
async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedArtifact> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  yield* listFolder(root, folder, prefix);
}

/** @param folder the folder's key with a trailing slash, or '' for the root. */
async function* listFolder(root: string, folder: string, prefix: string): AsyncGenerator<ListedArtifact> {
  let files: string[] = [];
  for (const key of await sortedKeys(root, folder)) {
    if (!key.startsWith(prefix)) continue;
    if (!key.endsWith('/')) {
      files.push(key);
      if (files.length < CONCURRENT_STATS) continue;
    }
    yield* await sizesOf(root, files);
    files = [];
    if (key.endsWith('/')) yield* listFolder(root, key, prefix);
  }
  yield* await sizesOf(root, files);
}

/** Returns the keys in one folder; a sub-folder ends with a slash, so that sorting here sorts the whole tree by key. */
async function sortedKeys(root: string, folder: string): Promise<string[]> {
  const path = join(root, folder);
  let entries: Dirent[];
  try {
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
  const keys: string[] = [];
  for (const entry of entries) {
    if (isTemporaryName(entry.name)) await sweepOrphan(path, entry.name);
    else if (entry.isDirectory()) keys.push(`${folder}${entry.name}/`);
    else keys.push(`${folder}${entry.name}`);
  }
  return keys.sort(compareKeys);
}

async function sizesOf(root: string, keys: string[]): Promise<ListedArtifact[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      try {
        const status = await stat(join(root, key));
        return status.isFile() ? { key, bytes: status.size } : null;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return null;
        throw error;
      }
    }),
  );
  return found.filter((artifact) => artifact !== null);
}

/** An {@link ArtifactStore} in a folder of this machine or of a network mount. The first write creates the folder. */
export class FileStore implements ArtifactStore {
  readonly uri: string;
  readonly #root: string;

  /** @param root the folder; a relative one is resolved against the working folder. */
  constructor(root: string) {
    this.#root = resolve(root);
    this.uri = pathToFileURL(this.#root).href.replace(/\/$/, '');
  }

  async read(key: string): Promise<Uint8Array | null> {
    const path = this.#pathOf(key);
    return this.#attempt('read', key, () => nullWhenAbsent(readFile(path)));
  }

  async readText(key: string): Promise<string | null> {
    const path = this.#pathOf(key);
    // A call's record usually does not exist, and this check does not use the thread pool.
    if (!isThere(path)) return null;
    return this.#attempt('read', key, () => nullWhenAbsent(readFile(path, 'utf8')));
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    const path = this.#pathOf(key);
    return this.#attempt('read', key, async () => {
      const handle = await nullWhenAbsent(open(path));
      if (handle === null) return null;
      try {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    });
  }

  async openRead(key: string): Promise<Readable | null> {
    const path = this.#pathOf(key);
    return this.#attempt('read', key, async () => {
      const handle = await nullWhenAbsent(open(path));
      if (handle === null) return null;
      // Nobody else closes the handle before the stream has it.
      const isFolder = await handle.stat().then(
        (about) => about.isDirectory(),
        async (error) => {
          await handle.close();
          throw error;
        },
      );
      if (isFolder) {
        await handle.close();
        return null;
      }
      return withMappedErrors(handle.createReadStream({ highWaterMark: STREAM_BLOCK_BYTES }), (error) =>
        fileError(error, 'read', this.uri, key),
      );
    });
  }

  async write(key: string, body: Uint8Array | string, options: WriteOptions = {}): Promise<boolean> {
    const path = this.#pathOf(key);
    const ifAbsent = options.ifAbsent ?? false;
    return this.#attempt('write', key, async () => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      if (ifAbsent && isThere(path)) return false;
      if (bytes.byteLength <= SMALL_BYTES) return writeSmall(path, bytes, ifAbsent);
      return writeThrough(path, (handle) => handle.writeFile(bytes), ifAbsent);
    });
  }

  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const path = this.#pathOf(key);
    let bytes = 0;
    let sourceFailure: { error: unknown } | undefined;
    try {
      await writeThrough(
        path,
        async (handle) => {
          const blocks = chunked(source, STREAM_BLOCK_BYTES, (error) => {
            sourceFailure = { error };
          });
          for await (const block of blocks) {
            await handle.writeFile(block);
            bytes += block.byteLength;
          }
        },
        false,
      );
    } catch (error) {
      if (sourceFailure !== undefined) throw sourceFailure.error;
      throw fileError(error, 'write', this.uri, key);
    }
    return { bytes };
  }

  async *list(prefix: string): AsyncIterable<ListedArtifact> {
    checkPrefix(this.uri, prefix);
    try {
      yield* listFiles(this.#root, prefix);
    } catch (error) {
      throw fileError(error, 'list', this.uri, prefix);
    }
  }

  async folders(folder: string): Promise<string[]> {
    const path = folder === '' ? this.#root : this.#pathOf(folder);
    return this.#attempt('list', folder, async () => {
      const entries = (await nullWhenAbsent(readdir(path, { withFileTypes: true }))) ?? [];
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort(compareKeys);
    });
  }

  async delete(keys: string[]): Promise<void> {
    const folders = new Set<string>();
    for (const key of keys) checkKey(this.uri, key);
    await forEachConcurrently(keys, CONCURRENT_DELETES, async (key) => {
      const path = join(this.#root, key);
      await this.#attempt('delete', key, () => nullWhenAbsent(unlink(path)));
      folders.add(dirname(path));
    });
    for (const folder of folders) await this.#prune(folder);
  }

  async deleteFolder(folder: string): Promise<void> {
    const path = this.#pathOf(folder);
    await this.#attempt('delete', folder, () => rm(path, { recursive: true, force: true, maxRetries: 3 }));
    await this.#prune(dirname(path));
  }

  /** Sweeps by listing everything. */
  async sweep(): Promise<void> {
    for await (const _ of this.list(''));
  }

  async exists(key: string): Promise<boolean> {
    const path = this.#pathOf(key);
    return this.#attempt('read', key, async () => (await nullWhenAbsent(stat(path)))?.isFile() ?? false);
  }

  within(prefix: string): ArtifactStore {
    return new FileStore(this.#pathOf(prefix));
  }

  #pathOf(key: string): string {
    checkKey(this.uri, key);
    return join(this.#root, key);
  }

  async #attempt<Result>(operation: StorageOperation, key: string, action: () => Promise<Result>) {
    try {
      return await action();
    } catch (error) {
      throw fileError(error, operation, this.uri, key);
    }
  }

  /** Removes a folder and its parents while they are empty, except for the store's root. */
  async #prune(folder: string): Promise<void> {
    for (let path = folder; path !== this.#root && path.startsWith(this.#root); path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') return;
      }
    }
  }
}
