import { StorageError, type StorageOperation, systemCode } from './storage-error.js';

/** Service codes of temporary failures whose status is not 5xx. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'OperationAborted',
  'ConditionalRequestConflict',
  // A multipart upload may have completed with its response lost.
  'NoSuchUpload',
]);

// Missing credentials, or a certificate that cannot be verified: permanent until a person acts.
const FINAL_CODES = /^(Credentials|CERT_|ERR_TLS|ERR_SSL|ERR_INVALID_URL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;

/** Service codes of a wrong key or address, whose status is that of a malformed request. */
const MENDABLE_CODES: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'TokenRefreshRequired',
]);
/** No permission, no bucket, a bucket in another region. */
const MENDABLE_STATUSES: ReadonlySet<number> = new Set([301, 307, 401, 403, 404]);

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket: create it, or correct the s3:// address',
  AccessDenied:
    'the credentials may not do that (without s3:ListBucket a service also answers this for an absent object)',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  // The same code of versitygw.
  XAdminUserNotFound: 'check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'the credentials have expired: renew them and restart the worker',
  CredentialsProviderError: 'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  PermanentRedirect: 'the bucket is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'the bucket is in another region: set AWS_REGION',
  ECONNREFUSED: 'nothing answers at that address: check S3_ENDPOINT and that the service is up',
  ENOTFOUND: 'that host is not known: check S3_ENDPOINT',
};

interface ServiceError {
  name?: string;
  message?: string;
  Code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Place of a failure, for its message. */
export interface StoreLocation {
  uri: string;
  /** The endpoint's address, or 'AWS'. */
  service: string;
}

/** Returns a failure's code of the service (`NoSuchBucket`), of the system (`ECONNRESET`), or its name. */
export function s3ErrorCode(error: unknown): string {
  const { Code, name, $metadata } = (error ?? {}) as ServiceError;
  if (typeof Code === 'string' && Code !== '') return Code;
  if ($metadata?.httpStatusCode !== undefined && name !== undefined && name !== 'Error') return name;
  return systemCode(error) ?? name ?? 'Unknown';
}

/** Reports whether the same request may succeed later: no response, a 5xx, or a request to slow down. */
function isRetryableS3Error(error: unknown): boolean {
  const code = s3ErrorCode(error);
  if (RETRYABLE_CODES.has(code)) return true;
  if (FINAL_CODES.test(code)) return false;
  const status = ((error ?? {}) as ServiceError).$metadata?.httpStatusCode;
  // An unreadable response (a proxy's HTML page, a cut-off body) has a 2xx status.
  if (status === undefined || status < 300) return true;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Reports whether it may succeed once a person has fixed the cause. */
function isMendableS3Error(error: unknown): boolean {
  const code = s3ErrorCode(error);
  const status = ((error ?? {}) as ServiceError).$metadata?.httpStatusCode;
  return FINAL_CODES.test(code) || MENDABLE_CODES.has(code) || MENDABLE_STATUSES.has(status ?? 0);
}

/** Turns a failure of the SDK into a {@link StorageError} with bucket, key, code and advice. */
export function s3Error(
  error: unknown,
  operation: StorageOperation,
  location: StoreLocation,
  key: string | null,
): StorageError {
  if (error instanceof StorageError) return error;
  const code = s3ErrorCode(error);
  const subject = key === null || key === '' ? location.uri : `${key} in ${location.uri}`;
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  const hint = HINTS[code];
  const reason = hint === undefined ? message : `${hint} (${message})`;
  return new StorageError({
    message: `cannot ${operation} ${subject} (${location.service}): ${code}: ${reason}`,
    uri: location.uri,
    key,
    code,
    retryable: isRetryableS3Error(error),
    mendable: isMendableS3Error(error),
    cause: error,
  });
}
