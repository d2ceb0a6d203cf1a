import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processIdentity } from '../../src/storage/process-identity.js';
import { withLock } from '../../src/workers/folder-lock.js';
import { JITI } from '../support/jiti.js';

const CONTENDERS = 12;

describe('a lock on a folder', () => {
  let folder: string;
  /** How many hold it, and the most that ever did. */
  let [holders, most] = [0, 0];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reprise-lock-'));
    [holders, most] = [0, 0];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const work = async () => {
    most = Math.max(most, ++holders);
    await sleep(1);
    holders -= 1;
  };
  const contend = (say?: (message: string) => void) => withLock(folder, work, say);
  const everybody = () => Promise.all(Array.from({ length: CONTENDERS }, () => contend()));

  async function deadProcess(): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid']);
    const [host, , start] = processIdentity().split('/');
    return `${host}/${stdout.trim()}/${start}`;
  }

  test('has one holder at a time, and leaves one file', async () => {
    await everybody();
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([`lock.${CONTENDERS}`]);
  });

  test('has one holder at a time of several processes as well', async () => {
    const contender = fileURLToPath(new URL('./lock-contender.ts', import.meta.url));
    const said = await Promise.all(
      Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [JITI, contender, folder, '40'])),
    );
    for (const { stdout } of said) expect(stdout).toBe('done\n');
    expect((await readdir(folder)).filter((name) => name.startsWith('lock.'))).toEqual([`lock.${4 * 40}`]);
  }, 60_000);

  test('whose holder has died is followed by one of many, each time', async () => {
    const dead = await deadProcess();
    for (let number = 1; number < 20 * CONTENDERS; number += CONTENDERS + 1) {
      await writeFile(join(folder, `lock.${number}`), `${dead} 3`);
      await everybody();
      expect(most).toBe(1);
    }
  });

  test('is followed where its holder’s process id has gone to another process', async () => {
    const [host] = processIdentity().split('/');
    await writeFile(join(folder, 'lock.1'), `${host}/${process.pid}/1 0`);
    await contend();
    expect(most).toBe(1);
  });

  test('whose holder works is waited for, and people are told for whom', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200, now: Date.now() });
    const told: string[] = [];
    let finish = () => {};
    const first = withLock(folder, () => new Promise<void>((resolve) => (finish = resolve)));
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual(['lock.1']));
    const second = contend((message) => told.push(message));
    try {
      await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 20_000 });
      expect(told[0]).toBe(`Waiting for process ${process.pid}, which has locked ${folder}…`);
      expect(most).toBe(0);
    } finally {
      finish();
      vi.useRealTimers();
      await Promise.all([first, second]);
    }
    expect(most).toBe(1);
  });

  test('of a holder on another host is followed once it is silent', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const path = join(folder, 'lock.1');
      await writeFile(path, 'elsewhere/1/1 0');
      const contending = contend();
      for (const sign of [1, 2]) {
        vi.advanceTimersByTime(14_000);
        await writeFile(path, `elsewhere/1/1 ${sign}`);
        await sleep(300);
        expect(most).toBe(0);
      }
      vi.advanceTimersByTime(16_000);
      await contending;
      expect(most).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is given back where the work fails', async () => {
    const failing = withLock(folder, async () => {
      throw new Error('no server');
    });
    await expect(failing).rejects.toThrow('no server');
    await contend();
    expect(most).toBe(1);
  });

  test('cannot be had in a folder that is gone', async () => {
    await rm(folder, { recursive: true });
    await expect(contend()).rejects.toThrow('ENOENT');
  });
});
