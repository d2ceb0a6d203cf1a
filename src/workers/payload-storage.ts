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
import { serverFolder } from './server-folder.js';

/** Bytes above which a payload leaves the history: a long prompt, a memory carried into another execution. */
const THRESHOLD = 64 * 1024;

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

/**
 * Keeps large payloads in an artifact store, under their content's hash, so that a repeated write is the same object.
 * A claim holds the store's address: any worker that can reach it can read the payload.
 */
export function artifactStoreDriver(
  store: ArtifactStore,
  open: (uri: string) => ArtifactStore,
): StorageDriver {
  return {
    name: 'reprise',
    type: 'reprise.artifact-store',
    store: (_context, payloads) =>
      Promise.all(
        payloads.map(async (payload) => {
          const bytes = PayloadMessage.encode(payload).finish();
          const hash = createHash('sha256').update(bytes).digest('hex');
          const key = `payloads/${hash.slice(0, 2)}/${hash}`;
          await store.write(key, bytes, { ifAbsent: true });
          return new StorageDriverClaim({ store: store.uri, key });
        }),
      ),
    retrieve: (_context, claims) =>
      Promise.all(
        claims.map(async ({ claimData }): Promise<Payload> => {
          const bytes = await open(claimData.store ?? '').read(claimData.key ?? '');
          if (bytes === null) {
            throw new Error(
              `the payload ${claimData.key} is missing from ${claimData.store}: the folder was changed`,
            );
          }
          return PayloadMessage.decode(bytes);
        }),
      ),
  };
}

/** Where large payloads go: REPRISE_PAYLOAD_STORE (a folder or s3://bucket/prefix), else the server's folder. */
export function payloadStoreAddress(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.REPRISE_PAYLOAD_STORE || join(serverFolder(environment), 'large');
}

/** The data converter of every client and worker. */
export function dataConverter(environment: NodeJS.ProcessEnv = process.env): DataConverter {
  const open = (uri: string) => openStore(uri, { environment });
  const driver = artifactStoreDriver(open(payloadStoreAddress(environment)), open);
  return { externalStorage: new ExternalStorage({ drivers: [driver], payloadSizeThreshold: THRESHOLD }) };
}
