import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findEmbeddedServer, SilentServerError, writeRecord } from '../../src/workers/server-record.js';

describe('the server of a folder', () => {
  let place: string;
  let folder: string;
  let children: ChildProcess[];
  let asked: number[];

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'reprise record '));
    folder = join(place, '.reprise');
    await mkdir(folder);
    [children, asked] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(children.map(end));
    await rm(place, { recursive: true, force: true });
  });

  /** A process that is called like a server, and answers to nothing. */
  async function server(port = 7233, of = folder): Promise<{ pid: number; port: number; ui_port: number }> {
    const options = ['--port', String(port), '--ui-port', '8233', '--db-filename', join(of, 'temporal.db')];
    const script = 'console.log(1); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', script, '--', ...options, '--sqlite-pragma=x'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    return { pid: child.pid as number, port, ui_port: 8233 };
  }

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** What is said at a port, question by question; the last answer stays. */
  const answers =
    (...said: (string | null)[]) =>
    async (port: number) =>
      said[Math.min(asked.push(port), said.length) - 1] ?? null;

  test.each([
    ['is still coming up', ''],
    ['was up and is slow', 'mine'],
  ])('is waited for where it %s', async (_how, namespace_id) => {
    const running = await server();
    await writeRecord(folder, { ...running, namespace_id });
    const found = await findEmbeddedServer(folder, { ask: answers(null, null, 'mine') });
    expect(found).toEqual({ ...running, namespace_id: 'mine' });
    expect(asked).toEqual([7233, 7233, 7233]);
  });

  test.each([
    ['that nothing was written down of', null],
    ['whose record names another process', { pid: process.pid, port: 1, ui_port: 2, namespace_id: 'mine' }],
  ])('%s is found where it runs', async (_which, record) => {
    const running = await server();
    if (record !== null) await writeRecord(folder, record);
    const found = await findEmbeddedServer(folder, { ask: answers('mine') });
    expect(found).toEqual({ ...running, namespace_id: 'mine' });
  });

  test('is found by another name of its folder', async () => {
    const running = await server();
    await symlink(place, `${place}-too`);
    try {
      const found = await findEmbeddedServer(join(`${place}-too`, '.reprise'), { ask: answers('mine') });
      expect(found?.pid).toBe(running.pid);
    } finally {
      await rm(`${place}-too`);
    }
  });

  test('is none any more where it ends before it answers', async () => {
    await writeRecord(folder, { ...(await server()), namespace_id: 'mine' });
    const ask = async (port: number) => {
      if (asked.push(port) === 2) await end(children[0] as ChildProcess);
      return null;
    };
    expect(await findEmbeddedServer(folder, { ask })).toBeNull();
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['does not answer', null],
    ['has lost its port to another folder’s', 'another'],
  ])('is not taken for dead where it %s', async (_how, said) => {
    const running = await server();
    await writeRecord(folder, { ...running, namespace_id: 'mine' });
    const finding = findEmbeddedServer(folder, { ask: answers(said), patience: 250 });
    await expect(finding).rejects.toThrow(SilentServerError);
    await expect(finding).rejects.toThrow(`(process ${running.pid}) runs and does not answer`);
    expect(asked.length).toBeGreaterThan(1);
  });

  test('is none where another folder’s runs, and where a process has the number that one had', async () => {
    const other = join(place, 'other');
    await mkdir(other);
    await server(7234, other);
    await writeRecord(folder, { pid: process.pid, port: 7233, ui_port: 8233, namespace_id: 'mine' });
    expect(await findEmbeddedServer(folder, { ask: answers('mine') })).toBeNull();
    expect(asked).toEqual([]);
  });

  test('is none where there is no folder', async () => {
    expect(await findEmbeddedServer(join(place, 'none'), { ask: answers('mine') })).toBeNull();
  });
});
