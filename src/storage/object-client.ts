import type { Readable } from 'node:stream';
import type { ListedArtifact } from './artifact-store.js';

/** One page of a bucket listing, in key order. */
interface ObjectPage {
  objects: ListedArtifact[];
  /** Hand to the next `listPage` call; absent on the last page. */
  next?: string;
}

/** A key that a batch deletion could not delete. */
interface DeleteFailure {
  key: string;
  code: string;
  message: string;
}

/**
 * What {@link S3Store} needs of one bucket of an S3-compatible service, and no more: the store knows no vendor's SDK.
 * Failures are thrown as the SDK throws them; the store classifies them.
 */
export interface ObjectClient {
  readonly bucket: string;
  get(key: string): Promise<Readable | null>;
  head(key: string): Promise<boolean>;
  /** Answers `false` when `ifAbsent` was asked for and the object existed already. */
  put(key: string, body: Uint8Array, ifAbsent: boolean): Promise<boolean>;
  /** Multipart where the body is large; nothing is visible before the last part is there. */
  upload(key: string, blocks: AsyncIterable<Uint8Array>): Promise<void>;
  listPage(prefix: string, continuation: string | undefined): Promise<ObjectPage>;
  /** Deletes at most 1,000 keys. */
  deleteBatch(keys: string[]): Promise<DeleteFailure[]>;
}
