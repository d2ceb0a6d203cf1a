import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isAlive } from '../../src/storage/process-identity.js';
import { untilProcessEnded } from '../../src/workers/server-process.js';
import { findPython, mustSkipPython, WITHOUT_FIRST_THREAD } from '../support/python.js';
import { until } from '../support/workplace.js';

const hasPython = process.platform === 'linux' && (await findPython());

test.skipIf(mustSkipPython(hasPython))(
  'a server that ends is waited for until its last thread has',
  async () => {
    const ending = spawn('python3', ['-c', WITHOUT_FIRST_THREAD]);
    const pid = ending.pid as number;
    await until('its first thread has ended', async () => {
      const ended = await Promise.race([
        untilProcessEnded(pid).then(() => true),
        sleep(100).then(() => false),
      ]);
      return !ended;
    });
    const ended = untilProcessEnded(pid);
    ending.kill('SIGKILL');
    await ended;
    expect(isAlive(pid)).toBe(false);
  },
);

test('one that runs, or has ended, is not', async () => {
  await untilProcessEnded(process.pid);
  await untilProcessEnded(2 ** 22 + 1);
});
