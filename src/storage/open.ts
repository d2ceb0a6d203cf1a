import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { missingPackage } from '../config/optional-packages.js';
import { type ArtifactStore, checkKey } from './artifact-store.js';
import { FileStore } from './file-store.js';
import { GroupedStore } from './grouped-store.js';
import type { ObjectClient } from './object-client.js';
import type { EnvironmentVariables } from './s3-client.js';
import { S3Store } from './s3-store.js';
import { StorageError } from './storage-error.js';

/** Variables that determine the service and the identity of a client. */
const CLIENT_VARIABLES = [
  'S3_ENDPOINT',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
] as const;

// One client per service and bucket for the whole process: each has its own connections.
const clients = new Map<string, Promise<ObjectClient>>();

export interface OpenStoreOptions {
  /** Defaults to `process.env`. */
  environment?: EnvironmentVariables;
}

/**
 * Opens the store at `s3://bucket/prefix`, `file:///folder` or a plain path (resolved against the working folder).
 * Nothing is contacted or created before the first call.
 * @throws StorageError (final) for any other address.
 */
export function openStore(uriOrPath: string, options: OpenStoreOptions = {}): ArtifactStore {
  const environment = options.environment ?? process.env;
  if (uriOrPath.startsWith('s3://')) return openBucket(uriOrPath, environment);
  if (uriOrPath.startsWith('file:')) return new GroupedStore(new FileStore(folderOf(uriOrPath)));
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(uriOrPath)) throw invalidAddress(uriOrPath, 'its scheme is not known');
  if (uriOrPath.trim() === '') throw invalidAddress(uriOrPath, 'it is empty');
  return new GroupedStore(new FileStore(uriOrPath));
}

function openBucket(uri: string, environment: EnvironmentVariables): ArtifactStore {
  const [bucket = '', ...folders] = uri.slice('s3://'.length).split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw invalidAddress(uri, `${JSON.stringify(bucket)} is no bucket name`);
  }
  const prefix = folders.join('/').replace(/\/$/, '');
  if (prefix !== '') checkKey(`s3://${bucket}`, prefix);
  const endpoint = environment.S3_ENDPOINT;
  if (endpoint && !URL.canParse(endpoint)) {
    throw invalidAddress(
      uri,
      `S3_ENDPOINT ${JSON.stringify(endpoint)} is no address; write http://host:port`,
    );
  }
  const service = endpoint ? new URL(endpoint).origin : 'AWS';
  const uninstalled = missingPackage('s3');
  if (uninstalled !== null) throw invalidAddress(uri, uninstalled);
  return new GroupedStore(new S3Store({ bucket, prefix, service }, () => clientFor(bucket, environment)));
}

function clientFor(bucket: string, environment: EnvironmentVariables): Promise<ObjectClient> {
  const identity = CLIENT_VARIABLES.map((name) => environment[name] ?? null);
  const cacheKey = createHash('sha256')
    .update(JSON.stringify([bucket, identity]))
    .digest('hex');
  let client = clients.get(cacheKey);
  if (client === undefined) {
    client = buildClient(bucket, environment);
    clients.set(cacheKey, client);
  }
  return client;
}

/** Builds a client. The SDK is loaded only here: that takes a while, and most runs keep their results in a folder. */
async function buildClient(bucket: string, environment: EnvironmentVariables): Promise<ObjectClient> {
  const [{ createS3Client }, { createS3ObjectClient }] = await Promise.all([
    import('./s3-client.js'),
    import('./s3-object-client.js'),
  ]);
  return createS3ObjectClient(createS3Client(environment), bucket);
}

function folderOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (error) {
    throw invalidAddress(uri, 'write file:///absolute/folder', error);
  }
}

function invalidAddress(address: string, reason: string, cause?: unknown): StorageError {
  return new StorageError({
    message: `${JSON.stringify(address)} is no place for artifacts: ${reason}; use a folder, file:///folder or s3://bucket/prefix`,
    uri: address,
    key: null,
    code: 'InvalidAddress',
    retryable: false,
    cause,
  });
}
