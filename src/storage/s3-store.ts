import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type ArtifactStore,
  checkKey,
  checkPrefix,
  type ListedArtifact,
  type WriteOptions,
} from './artifact-store.js';
import { chunked, forEachConcurrently, withMappedErrors } from './byte-streams.js';
import type { ObjectClient } from './object-client.js';
import { s3Error } from './s3-errors.js';
import type { StorageError, StorageOperation } from './storage-error.js';

const STREAM_BLOCK_BYTES = 256 * 1024;
// Limit of the service for one DeleteObjects request.
const DELETE_BATCH = 1000;
const CONCURRENT_DELETE_BATCHES = 4;

export interface S3Location {
  bucket: string;
  /** Prefix without leading or trailing slash; empty for the whole bucket. */
  prefix: string;
  /** The service's address for messages, or 'AWS'. */
  service: string;
}

/** An {@link ArtifactStore} below a prefix of a bucket. The client is built at its first use. */
export class S3Store implements ArtifactStore {
  readonly uri: string;
  readonly #location: S3Location;
  readonly #client: () => Promise<ObjectClient>;

  constructor(location: S3Location, client: () => Promise<ObjectClient>) {
    this.#location = location;
    this.#client = client;
    this.uri = `s3://${location.bucket}${location.prefix === '' ? '' : `/${location.prefix}`}`;
  }

  async read(key: string): Promise<Uint8Array | null> {
    return this.#attempt('read', key, async (client, objectKey) => {
      const body = await client.get(objectKey);
      return body === null ? null : await buffer(body);
    });
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes === null
      ? null
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    return this.#attempt('read', key, async (client, objectKey) => {
      const body = await client.get(objectKey, { start, length });
      return body === null ? null : await buffer(body);
    });
  }

  async openRead(key: string): Promise<Readable | null> {
    const body = await this.#attempt('read', key, (client, objectKey) => client.get(objectKey));
    return body === null ? null : withMappedErrors(body, (error) => this.#error(error, 'read', key));
  }

  async write(key: string, body: Uint8Array | string, options: WriteOptions = {}): Promise<boolean> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return this.#attempt('write', key, (client, objectKey) =>
      client.put(objectKey, bytes, options.ifAbsent ?? false),
    );
  }

  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    let bytes = 0;
    let sourceFailure: { error: unknown } | undefined;
    const blocks = chunked(source, STREAM_BLOCK_BYTES, (error) => {
      sourceFailure = { error };
    });
    async function* counted() {
      for await (const block of blocks) {
        bytes += block.byteLength;
        yield block;
      }
    }
    try {
      await this.#attempt('write', key, (client, objectKey) => client.upload(objectKey, counted()));
    } catch (error) {
      throw sourceFailure === undefined ? error : sourceFailure.error;
    }
    return { bytes };
  }

  async *list(prefix: string): AsyncIterable<ListedArtifact> {
    checkPrefix(this.uri, prefix);
    const strip = this.#keyOf('').length;
    let continuation: string | undefined;
    do {
      const page = await this.#guard('list', prefix, (client) =>
        client.listPage(this.#keyOf(prefix), continuation),
      );
      for (const { key, bytes } of page.objects) {
        // Folder markers of other tools are not artifacts.
        if (!key.endsWith('/')) yield { key: key.slice(strip), bytes };
      }
      continuation = page.next;
    } while (continuation !== undefined);
  }

  async folders(folder: string): Promise<string[]> {
    checkPrefix(this.uri, folder);
    const prefix = this.#keyOf(folder === '' ? '' : `${folder}/`);
    const names: string[] = [];
    let continuation: string | undefined;
    do {
      const page = await this.#guard('list', folder, (client) => client.listFolders(prefix, continuation));
      names.push(...page.folders);
      continuation = page.next;
    } while (continuation !== undefined);
    return names;
  }

  async delete(keys: string[]): Promise<void> {
    for (const key of keys) checkKey(this.uri, key);
    const batches: string[][] = [];
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      batches.push(keys.slice(start, start + DELETE_BATCH));
    }
    await forEachConcurrently(batches, CONCURRENT_DELETE_BATCHES, (batch) => this.#deleteBatch(batch));
  }

  async deleteFolder(folder: string): Promise<void> {
    checkKey(this.uri, folder);
    let batch: string[] = [];
    for await (const { key } of this.list(`${folder}/`)) {
      batch.push(key);
      if (batch.length < DELETE_BATCH * CONCURRENT_DELETE_BATCHES) continue;
      await this.delete(batch);
      batch = [];
    }
    await this.delete(batch);
  }

  /** Does nothing: S3 has no partly written objects. */
  async sweep(): Promise<void> {}

  async exists(key: string): Promise<boolean> {
    return this.#attempt('read', key, (client, objectKey) => client.head(objectKey));
  }

  within(prefix: string): ArtifactStore {
    checkKey(this.uri, prefix);
    return new S3Store({ ...this.#location, prefix: this.#keyOf(prefix) }, this.#client);
  }

  async #deleteBatch(batch: string[]): Promise<void> {
    const failures = await this.#guard('delete', batch[0] ?? null, (client) =>
      client.deleteBatch(batch.map((key) => this.#keyOf(key))),
    );
    const failure = failures.find(({ code }) => code !== 'NoSuchKey');
    if (failure === undefined) return;
    const key = failure.key.slice(this.#keyOf('').length);
    throw this.#error({ Code: failure.code, message: failure.message, $metadata: {} }, 'delete', key);
  }

  #keyOf(key: string): string {
    return this.#location.prefix === '' ? key : `${this.#location.prefix}/${key}`;
  }

  #error(error: unknown, operation: StorageOperation, key: string | null): StorageError {
    return s3Error(error, operation, { uri: this.uri, service: this.#location.service }, key);
  }

  async #attempt<Result>(
    operation: StorageOperation,
    key: string,
    action: (client: ObjectClient, objectKey: string) => Promise<Result>,
  ): Promise<Result> {
    checkKey(this.uri, key);
    return this.#guard(operation, key, (client) => action(client, this.#keyOf(key)));
  }

  async #guard<Result>(
    operation: StorageOperation,
    key: string | null,
    action: (client: ObjectClient) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await action(await this.#client());
    } catch (error) {
      throw this.#error(error, operation, key);
    }
  }
}
