import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { JITI } from '../support/jiti.js';
import { findVersitygw, mustSkip, startS3Server } from '../support/s3-server.js';
import { listAll } from './artifact-store-contract.js';

const ROUNDS = 5;
const WRITER = fileURLToPath(new URL('./endless-writer.ts', import.meta.url));

/** Starts a process that writes without end, and kills it -9 at a random moment while it does. */
async function writeAndBeKilled(address: string, environment: Record<string, string>): Promise<void> {
  const writer = spawn(process.execPath, [JITI, WRITER, address], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(writer, 'exit');
  const [said] = await once(writer.stdout, 'data');
  expect(String(said)).toContain('writing');
  await new Promise((resume) => setTimeout(resume, Math.random() * 200));
  writer.kill('SIGKILL');
  expect((await exited)[1]).toBe('SIGKILL');
}

async function expectOnlyWholeObjects(store: ArtifactStore): Promise<void> {
  const listed = await listAll(store);
  expect(listed.length).toBeGreaterThan(0);
  for (const { key, bytes } of listed) {
    const body = await store.read(key);
    expect(body?.byteLength).toBe(bytes);
    const [seal, content] = [body?.subarray(0, 32), body?.subarray(32) ?? new Uint8Array()];
    expect(
      createHash('sha256')
        .update(content)
        .digest()
        .equals(Buffer.from(seal ?? [])),
    ).toBe(true);
  }
}

const versitygw = await findVersitygw();

describe('a writer killed -9 at any moment leaves only whole objects', () => {
  test('in a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reprise-kill-'));
    try {
      for (let round = 0; round < ROUNDS; round += 1) await writeAndBeKilled(folder, {});
      await expectOnlyWholeObjects(openStore(folder));
      const left = await readdir(folder, { recursive: true });
      expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);

  test.skipIf(mustSkip(versitygw))(
    'in a bucket',
    async () => {
      const server = await startS3Server();
      const address = `s3://${server.bucket}/run`;
      try {
        for (let round = 0; round < ROUNDS; round += 1) await writeAndBeKilled(address, server.environment);
        await expectOnlyWholeObjects(openStore(address, { environment: server.environment }));
      } finally {
        await server.stop();
      }
    },
    60_000,
  );
});
