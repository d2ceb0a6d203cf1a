import type { Readable } from 'node:stream';
import type { ListedArtifact } from './artifact-store.js';

/** One page of a bucket listing, in key order. */
interface ObjectPage {
  objects: ListedArtifact[];
  /** Argument of the next `listPage` call; absent on the last page. */
  next?: string;
}

interface DeleteFailure {
  key: string;
  code: string;
  message: string;
}

/**
 * Operations of {@link S3Store} on one bucket of an S3-compatible service, independent of any vendor's SDK. The SDK's
 * errors are thrown unchanged; the store classifies them.
 */
export interface ObjectClient {
  readonly bucket: string;
  /** @param range bytes to read; absent: all */
  get(key: string, range?: { start: number; length: number }): Promise<Readable | null>;
  head(key: string): Promise<boolean>;
  /** Writes an object. Returns `false` where `ifAbsent` is set and the object existed already. */
  put(key: string, body: Uint8Array, ifAbsent: boolean): Promise<boolean>;
  /** Uploads blocks, in parts where they are large; nothing is visible before the last part. */
  upload(key: string, blocks: AsyncIterable<Uint8Array>): Promise<void>;
  listPage(prefix: string, continuation: string | undefined): Promise<ObjectPage>;
  /** Lists the names of folders directly below a prefix, which ends with a slash or is empty. */
  listFolders(
    prefix: string,
    continuation: string | undefined,
  ): Promise<{ folders: string[]; next?: string }>;
  /** Deletes at most 1,000 keys. */
  deleteBatch(keys: string[]): Promise<DeleteFailure[]>;
}
