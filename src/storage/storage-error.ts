export interface StorageErrorDetails {
  message: string;
  uri: string;
  key: string | null;
  code: string;
  retryable: boolean;
  mendable?: boolean;
  cause?: unknown;
}

/** What was being done when a store failed. */
export type StorageOperation = 'read' | 'write' | 'list' | 'delete';

/** A store could not do what it was asked. The message names the key, the store and the reason. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** The store: `file:///folder` or `s3://bucket/prefix`. */
  readonly uri: string;
  /** The object, or `null` where the failure concerns the whole store. */
  readonly key: string | null;
  /** The system's or the service's own code: `ENOSPC`, `NoSuchBucket`, … */
  readonly code: string;
  /** Whether the same call may succeed later without anybody changing the configuration. */
  readonly retryable: boolean;
  /** Whether it may succeed once a person has put something right: a permission, a mount, a key, a bucket. */
  readonly mendable: boolean;

  constructor(details: StorageErrorDetails) {
    super(details.message, { cause: details.cause });
    this.uri = details.uri;
    this.key = details.key;
    this.code = details.code;
    this.retryable = details.retryable;
    this.mendable = details.mendable ?? false;
  }

  /** Whether there is something to wait for. */
  get mayPass(): boolean {
    return this.retryable || this.mendable;
  }
}

/** The `code` of a Node system error (`ENOENT`, …), or `null` for anything else. */
export function systemCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : null;
}
