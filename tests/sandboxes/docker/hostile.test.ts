import { describe, expect, test } from 'vitest';
import { ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { DECEITS, ESCAPES, type HostileCase, hostileProgram } from '../hostile/cases.js';
import { expectContained } from '../hostile/contained.js';
import { LIMITS, PATIENT, program } from '../limits.js';
import { describeBattery, hostileTarget, SECRET } from './hostile-target.js';

const found = await findDocker();

describe.skipIf(mustSkipDocker(found))('a hostile program in Docker', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  const target = hostileTarget(environment);

  async function contains(hostile: HostileCase): Promise<void> {
    const limits = { ...LIMITS, timeout_sec: hostile.timeoutSec ?? PATIENT.timeout_sec, ...hostile.limits };
    const result = await target.sandbox.run(hostileProgram(hostile, String(target.port)), { limits });
    await untilRemoved(docker, ownerLabel());
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expectContained(hostile, result, limits);
    const next = await target.sandbox.run(program('print(6 * 7)'), { limits: PATIENT });
    expect(next).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '', exit_code: 0 });
  }

  describeBattery(target, contains);

  test('has no variable of the worker in its environment', async () => {
    const result = await target.sandbox.run(program('import os; print(sorted(os.environ))'), {
      limits: PATIENT,
    });
    expect(result.stdout).toBe("['HOME', 'LANG', 'OMP_NUM_THREADS', 'PATH', 'PYTHONHASHSEED', 'TMPDIR']\n");
  });

  test('has its forged answers taken for the text that they are', async () => {
    const forged = DECEITS.find(({ name }) => name === 'forged_answers') as HostileCase;
    const { stdout, stderr } = await target.sandbox.run(hostileProgram(forged), { limits: PATIENT });
    const line = /^\{"type": "result", "status": "ok", .*"nonce": "0{32}"\}\n/;
    expect(stderr).toMatch(line);
    expect(stdout).toMatch(line);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout).toContain('\x01\0\0\0\0\0\0');
  });

  test('has no capability, no way to new ones, and a filter on its calls', async () => {
    const rights = ESCAPES.find(({ name }) => name === 'gains_rights') as HostileCase;
    const { stdout } = await target.sandbox.run(hostileProgram(rights), { limits: PATIENT });
    const none = '0000000000000000';
    for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(stdout).toContain(`${set}: ${none}\n`);
    expect(stdout).toContain('Uid: 65534 65534 65534 65534\nCap');
    expect(stdout).toContain('NoNewPrivs: 1\nSeccomp: 2\n');
  });
});
