import { inspect } from 'node:util';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { createS3Client } from '../../src/storage/s3-client.js';
import { createS3ObjectClient } from '../../src/storage/s3-object-client.js';
import { S3Store } from '../../src/storage/s3-store.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { keysOf, testArtifactStore } from './artifact-store-contract.js';

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('S3Store on a real S3 server', () => {
  let server: S3Server;
  let counter = 0;

  beforeAll(async () => {
    server = await startS3Server();
  }, 60_000);
  afterAll(() => server.stop());

  function newStore() {
    counter += 1;
    return openStore(`s3://${server.bucket}/runs/${counter}`, { environment: server.environment });
  }

  testArtifactStore({
    makeStore: async () => newStore(),
    leftovers: async () => {
      const client = createS3Client(server.environment);
      const answer = await client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }));
      return (answer.Uploads ?? []).map(({ Key }) => Key ?? '');
    },
  });

  test('a bucket that is not there is a final error that names it, for every operation', async () => {
    const store = openStore('s3://no-such-bucket/run', { environment: server.environment });
    const failure = {
      name: 'StorageError',
      code: 'NoSuchBucket',
      retryable: false,
      mendable: true,
      message: expect.stringContaining('s3://no-such-bucket/run'),
    };
    await expect(store.read('a')).rejects.toMatchObject(failure);
    await expect(store.write('a', 'x')).rejects.toMatchObject(failure);
    await expect(store.exists('a')).rejects.toMatchObject(failure);
    await expect(keysOf(store)).rejects.toMatchObject(failure);
    await expect(store.delete(['a'])).rejects.toMatchObject(failure);
  });

  test.each([
    ['AWS_ACCESS_KEY_ID', 'somebody-unknown'],
    ['AWS_SECRET_ACCESS_KEY', 'not-the-secret'],
  ])(
    'a wrong %s is a final error that says which variable to check and does not show it',
    async (name, value) => {
      const environment = { ...server.environment, [name]: value };
      const store = openStore(`s3://${server.bucket}/run`, { environment });
      const error = await store.write('a', 'x').catch((reason) => reason);
      expect(error).toMatchObject({ name: 'StorageError', retryable: false, mendable: true });
      expect(error.message).toContain(`check ${name}`);
      expect(inspect(error)).not.toContain('not-the-secret');
    },
  );

  test('a server that is down is worth a retry, and the same store works once it is back', async () => {
    const store = newStore();
    await store.write('before', 'kept');
    await server.kill();
    try {
      const failure = {
        name: 'StorageError',
        retryable: true,
        message: expect.stringContaining(server.endpoint),
      };
      await expect(store.write('during', 'x')).rejects.toMatchObject(failure);
      await expect(store.read('before')).rejects.toMatchObject(failure);
      await expect(store.exists('before')).rejects.toMatchObject(failure);
      await expect(keysOf(store)).rejects.toMatchObject(failure);
      await expect(store.delete(['before'])).rejects.toMatchObject(failure);
    } finally {
      await server.restart();
    }
    expect(await store.readText('before')).toBe('kept');
    await store.write('after', 'x');
    expect(await keysOf(store)).toEqual(['after', 'before']);
  });

  test('a server that hangs is given up after the idle time, in a request and in the middle of a body', async () => {
    const client = createS3Client(server.environment, { idleTimeoutMs: 500 });
    const objectClient = createS3ObjectClient(client, server.bucket);
    const location = { bucket: server.bucket, prefix: 'hanging', service: server.endpoint };
    const store = new S3Store(location, async () => objectClient);
    await store.write('large', Buffer.alloc(30_000_000));
    const stream = await store.openRead('large');
    await server.pause();
    try {
      const hung = { name: 'StorageError', retryable: true };
      await expect(store.write('x', 'x')).rejects.toMatchObject(hung);
      await expect(
        (async () => {
          for await (const _ of stream ?? []);
        })(),
      ).rejects.toMatchObject({ ...hung, key: 'large' });
    } finally {
      server.resume();
    }
    expect(await store.exists('large')).toBe(true);
  });

  test('a server killed in the middle of an upload leaves the former object, and the upload works afterwards', async () => {
    const store = newStore();
    await store.write('results.jsonl', 'former');
    async function* blocks(onBlock: (index: number) => Promise<void>) {
      for (let index = 0; index < 30; index += 1) {
        await onBlock(index);
        yield Buffer.alloc(1_000_000, 'x');
      }
    }
    const interrupted = store.writeStream(
      'results.jsonl',
      blocks(async (index) => {
        if (index === 20) await server.kill();
      }),
    );
    await expect(interrupted).rejects.toMatchObject({ name: 'StorageError', retryable: true });
    await server.restart();
    expect(await store.readText('results.jsonl')).toBe('former');
    await store.writeStream(
      'results.jsonl',
      blocks(async () => {}),
    );
    expect((await store.read('results.jsonl'))?.byteLength).toBe(30_000_000);
  });
});
