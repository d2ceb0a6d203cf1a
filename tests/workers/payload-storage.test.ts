import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload, StorageDriver } from '@temporalio/common';
import { StorageDriverClaim } from '@temporalio/common';
import { encodeReferencePayload } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { artifactStoreDriver, dataConverter, wholePayload } from '../../src/workers/payload-storage.js';

let folder: string;
let driver: StorageDriver;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-payloads-'));
  driver = artifactStoreDriver(openStore(join(folder, 'large')), (uri) => openStore(uri));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const context = {} as never;
const payload: Payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"large"') };

test('a payload is found again by its claim', async () => {
  const claims = await driver.store(context, [payload]);
  const [found] = await driver.retrieve(context, claims);
  expect(Buffer.from(found?.data ?? []).toString()).toBe('"large"');
});

test('a reference in a history is followed, as the SDK writes it', async () => {
  const [claim] = await driver.store(context, [payload]);
  const reference = encodeReferencePayload({
    driverName: 'reprise',
    claim: claim as StorageDriverClaim,
    sizeBytes: 7,
  });
  const whole = await wholePayload(reference, (uri) => openStore(uri));
  expect(Buffer.from(whole.data ?? []).toString()).toBe('"large"');
  expect(await wholePayload(payload)).toBe(payload);
});

test('a claim reads no file that is not the payload it names', async () => {
  const name = 'a'.repeat(64);
  await mkdir(join(folder, 'payloads', 'aa'), { recursive: true });
  await writeFile(join(folder, 'secret'), 'hunter2');
  await writeFile(join(folder, 'payloads', 'aa', name), 'hunter2');
  for (const key of ['secret', '../secret', `payloads/aa/${name}`]) {
    const claim = new StorageDriverClaim({ store: folder, key });
    const error = await driver.retrieve(context, [claim]).catch((reason: Error) => reason.message);
    expect(error).toMatch(/^the payload .* is missing from /);
  }
});

test('the folder that payloads go to by default is its user’s alone', async () => {
  const server = join(folder, '.reprise');
  const { externalStorage } = dataConverter({ REPRISE_SERVER_DIR: server });
  const [own] = externalStorage?.drivers ?? [];
  await own?.store(context, [payload]);
  expect((await stat(server)).mode & 0o777).toBe(0o700);
  expect(await readdir(server)).toEqual(['large']);
});
