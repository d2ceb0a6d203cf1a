import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { isAlive, isDead, processIdentity } from '../../src/storage/process-identity.js';
import { findPython, mustSkipPython, WITHOUT_FIRST_THREAD } from '../support/python.js';
import { until } from '../support/workplace.js';

const hasPython = process.platform === 'linux' && (await findPython());

describe('a process', () => {
  let child: ChildProcess | undefined;

  afterEach(async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  test('runs until it has ended', async () => {
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid as number;
    const identity = processIdentity(pid);
    expect([isAlive(pid), isDead(identity)]).toEqual([true, false]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect([isAlive(pid), isDead(identity)]).toEqual([false, true]);
  });

  test.skipIf(mustSkipPython(hasPython))('runs for as long as any of its threads', async () => {
    child = spawn('python3', ['-c', WITHOUT_FIRST_THREAD]);
    const pid = child.pid as number;
    await until('its first thread has ended', () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    expect(isAlive(pid)).toBe(true);
    expect(isDead(processIdentity(pid))).toBe(false);
  });

  test('of another host may be dead or alive', () => {
    expect(isDead('another-host/1/1')).toBe(null);
  });
});
