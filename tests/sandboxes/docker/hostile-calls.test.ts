import { describe, expect } from 'vitest';
import { ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { scaffold, withoutModel } from '../calls-contract.js';
import type { HostileCase } from '../hostile/cases.js';
import { expectContained } from '../hostile/contained.js';
import { hostileScaffold, printedByScaffold, RETURNED } from '../hostile/scaffolds.js';
import { LIMITS, PATIENT } from '../limits.js';
import { describeBattery, hostileTarget, SECRET } from './hostile-target.js';

const found = await findDocker();

/** They end the process well, but by themselves. */
const NEVER_RETURN = ['closes_streams', 'exits_silently', 'exits_with_256'];

describe.skipIf(mustSkipDocker(found))('a hostile scaffold', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  const target = hostileTarget(environment);

  async function contains(hostile: HostileCase): Promise<void> {
    const limits = { ...LIMITS, timeout_sec: hostile.timeoutSec ?? PATIENT.timeout_sec, ...hostile.limits };
    const options = { ...withoutModel, limits };
    const { 'scaffold.py': code = '', ...files } = hostileScaffold(hostile);
    const result = await target.sandbox.call(
      await scaffold(code, { files, input: `${target.port}\n` }),
      options,
    );
    await untilRemoved(docker, ownerLabel());
    expect(JSON.stringify(result)).not.toContain(SECRET);
    if (NEVER_RETURN.includes(hostile.name)) {
      const stderr = 'the program ended before scaffold.process_input returned\n';
      expectContained({ ...hostile, status: 'error', stderr }, result, limits);
    } else if (hostile.name === 'disk_filler') {
      // There are three files more: the scaffold and what gives it a model.
      expectContained(
        { ...hostile, stdout: /^1[56] MiB: No space left on device\n5 files\n$/ },
        result,
        limits,
      );
    } else if (hostile.name === 'forged_answers') {
      const stdout = printedByScaffold(hostile, result);
      expect(stdout).not.toBe(result.stdout);
      expectContained(hostile, { ...result, stdout }, limits);
    } else {
      expectContained(hostile, result, limits);
    }
    const returns = hostile.status === 'ok' && !NEVER_RETURN.includes(hostile.name);
    expect(result.output).toBe(returns ? RETURNED : null);

    const next = await target.sandbox.call(
      await scaffold('def process_input(text): return text * 2', { input: '21' }),
      {
        ...withoutModel,
        limits: PATIENT,
      },
    );
    expect(next).toMatchObject({ status: 'ok', output: '2121', stdout: '', stderr: '' });
  }

  describeBattery(target, contains);
});
