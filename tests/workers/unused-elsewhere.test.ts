import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntilUnused } from '../../src/workers/embedded-server.js';

let folder: string;
let told: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-unused-'));
  await mkdir(join(folder, 'users'));
  await writeFile(join(folder, 'users', '7'), 'elsewhere/7/1 0');
  told = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const wait = () => waitUntilUnused(folder, 'elsewhere', (message) => told.push(message), 600);

test('a folder that nobody on another host uses may be used here', async () => {
  await wait();
  expect(told).toEqual([
    `${folder} was last used on elsewhere, or before this machine was started again; making sure that nobody uses it…`,
  ]);
});

test.each([
  ['gives a sign of life', 'users/7', 'elsewhere/7/1 1'],
  ['signs in', 'users/8', 'elsewhere/8/1 0'],
  ['writes to the database', 'temporal.db-wal', 'page'],
])('a folder may not be used here while somebody elsewhere %s', async (_how, name, text) => {
  const waiting = wait();
  setTimeout(() => writeFile(join(folder, name), text), 200);
  await expect(waiting).rejects.toThrow('is in use on elsewhere, and two servers on one database lose data');
});
