export interface StorageErrorDetails {
  message: string;
  uri: string;
  key: string | null;
  code: string;
  retryable: boolean;
  mendable?: boolean;
  cause?: unknown;
}

/** Operation during which a store failed. */
export type StorageOperation = 'read' | 'write' | 'list' | 'delete';

/** A failed operation of a store. The message names the key, the store and the reason. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** URI of the store: `file:///folder` or `s3://bucket/prefix`. */
  readonly uri: string;
  /** Key of the object, or `null` where the failure concerns the whole store. */
  readonly key: string | null;
  /** Code of the system or the service: `ENOSPC`, `NoSuchBucket`, … */
  readonly code: string;
  /** True if the same call may succeed later without a change of the configuration. */
  readonly retryable: boolean;
  /** True if the call may succeed once a person has fixed the cause: a permission, a mount, a key, a bucket. */
  readonly mendable: boolean;

  constructor(details: StorageErrorDetails) {
    super(details.message, { cause: details.cause });
    this.uri = details.uri;
    this.key = details.key;
    this.code = details.code;
    this.retryable = details.retryable;
    this.mendable = details.mendable ?? false;
  }

  /** True if waiting may help. */
  get mayPass(): boolean {
    return this.retryable || this.mendable;
  }
}

/** Returns the `code` of a Node system error (`ENOENT`, …), or `null` for anything else. */
export function systemCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : null;
}
