import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findEmbeddedServer, type ServerRecord, writeRecord } from '../../src/workers/server-record.js';

describe('the server that a folder has a record of', () => {
  let folder: string;
  const asked: number[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reprise-record-'));
    asked.splice(0);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What is said at a port, question by question; the last answer stays. */
  const answers =
    (...said: (string | null)[]) =>
    async (port: number) =>
      said[Math.min(asked.push(port), said.length) - 1] ?? null;
  const record = (fields: Partial<ServerRecord> = {}): ServerRecord => ({
    pid: process.pid,
    port: 7233,
    ui_port: 8233,
    namespace_id: '',
    ...fields,
  });

  test('is waited for where it is still coming up, and whoever started it has died', async () => {
    await writeRecord(folder, record());
    const found = await findEmbeddedServer(folder, answers(null, null, 'mine'));
    expect(found).toEqual(record({ namespace_id: 'mine' }));
    expect(asked).toEqual([7233, 7233, 7233]);
  });

  test('is none any more where it ends before it is up', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const gone = once(child, 'exit');
    await writeRecord(folder, record({ pid: child.pid as number }));
    const finding = findEmbeddedServer(folder, async (port) => {
      asked.push(port);
      if (asked.length === 2) {
        child.kill('SIGKILL');
        await gone;
      }
      return null;
    });
    expect(await finding).toBeNull();
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['answers as itself', 'mine', { namespace_id: 'mine' }],
    ['has its port taken by another folder’s', 'another', null],
    ['was up and does not answer', null, null],
  ])('is asked once where it %s', async (_how, said, found) => {
    await writeRecord(folder, record({ namespace_id: 'mine' }));
    const expected = found === null ? null : record(found);
    expect(await findEmbeddedServer(folder, answers(said))).toEqual(expected);
    expect(asked).toEqual([7233]);
  });

  test('is none where there is no record', async () => {
    expect(await findEmbeddedServer(folder, answers('mine'))).toBeNull();
    expect(asked).toEqual([]);
  });

  test.each([-1, 0])('is none where it could not be started, so that nobody ends process %i', async (pid) => {
    await writeRecord(folder, record({ pid, namespace_id: 'mine' }));
    expect(await findEmbeddedServer(folder, answers('mine'))).toBeNull();
    expect(asked).toEqual([]);
  });
});
