import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type DataConverter,
  ExternalStorage,
  type Payload,
  type StorageDriver,
  StorageDriverClaim,
} from '@temporalio/common';
import protocol from '@temporalio/proto';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { openStore } from '../storage/open.js';
import { ownFolder, serverFolder } from './server-folder.js';

/**
 * Bytes above which a payload is stored outside of the history: a long prompt, a memory passed to another execution.
 */
const THRESHOLD = 64 * 1024;

/** Returns the key of a payload by its content. Anybody can send a claim, so nothing else is read for one. */
function keyOf(bytes: Uint8Array): string {
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `payloads/${hash.slice(0, 2)}/${hash}`;
}

const KEY = /^payloads\/[0-9a-f]{2}\/[0-9a-f]{64}$/;

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

/**
 * Stores large payloads in an artifact store, by the hash of their content, so that a repeated write is the same
 * object. A claim contains the store's address: any worker that can reach it can read the payload.
 * @param prepare runs before each write
 */
export function artifactStoreDriver(
  store: ArtifactStore,
  open: (uri: string) => ArtifactStore,
  prepare: () => Promise<void> = async () => undefined,
): StorageDriver {
  return {
    name: 'reprise',
    type: 'reprise.artifact-store',
    store: async (_context, payloads) => {
      await prepare();
      return Promise.all(
        payloads.map(async (payload) => {
          const bytes = PayloadMessage.encode(payload).finish();
          const key = keyOf(bytes);
          await store.write(key, bytes, { ifAbsent: true });
          return new StorageDriverClaim({ store: store.uri, key });
        }),
      );
    },
    retrieve: (_context, claims) => Promise.all(claims.map((claim) => retrieved(claim, open))),
  };
}

/** Metadata by which the SDK marks a reference to a stored payload. */
const REFERENCE = { encoding: 'json/protobuf', messageType: 'temporal.api.sdk.v1.ExternalStorageReference' };

/** Returns a payload of a history as it was sent, resolving a reference. @throws if the stored payload is missing. */
export async function wholePayload(
  payload: Payload,
  open: (uri: string) => ArtifactStore = openStore,
): Promise<Payload> {
  const isReference = Object.entries(REFERENCE).every(([name, value]) => {
    const written = payload.metadata?.[name];
    return written != null && Buffer.from(written).toString() === value;
  });
  if (!isReference) return payload;
  const { claimData } = JSON.parse(Buffer.from(payload.data ?? []).toString()) as StorageDriverClaim;
  return retrieved(new StorageDriverClaim(claimData), open);
}

async function retrieved(
  { claimData }: StorageDriverClaim,
  open: (uri: string) => ArtifactStore,
): Promise<Payload> {
  const { store: address = '', key = '' } = claimData;
  const bytes = KEY.test(key) ? await open(address).read(key) : null;
  if (bytes === null || keyOf(bytes) !== key) {
    throw new Error(`the payload ${key} is missing from ${address}: the folder was changed`);
  }
  return PayloadMessage.decode(bytes);
}

/**
 * Returns the store of large payloads: REPRISE_PAYLOAD_STORE (a folder or s3://bucket/prefix), else the server's
 * folder.
 */
function payloadStoreAddress(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.REPRISE_PAYLOAD_STORE || join(serverFolder(environment), 'large');
}

/** Returns the data converter of every client and worker. */
export function dataConverter(environment: NodeJS.ProcessEnv = process.env): DataConverter {
  const open = (uri: string) => openStore(uri, { environment });
  // The server may be on another machine; the folder on this one is still private to its user.
  const isOwn = !environment.REPRISE_PAYLOAD_STORE;
  const prepare = () => (isOwn ? ownFolder(serverFolder(environment)) : Promise.resolve());
  const driver = artifactStoreDriver(open(payloadStoreAddress(environment)), open, prepare);
  return { externalStorage: new ExternalStorage({ drivers: [driver], payloadSizeThreshold: THRESHOLD }) };
}
