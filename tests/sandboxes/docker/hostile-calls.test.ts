import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { scaffold, withoutModel } from '../calls-contract.js';
import { DECEITS, ESCAPES, EXHAUSTION, type HostileCase } from '../hostile/cases.js';
import { expectContained } from '../hostile/contained.js';
import { hostileScaffold, printedByScaffold, RETURNED } from '../hostile/scaffolds.js';
import { LIMITS, PATIENT } from '../limits.js';

const found = await findDocker();
const SECRET = 'sk-this-is-nobodys-business';

/** They end the process well, but by themselves. */
const NEVER_RETURN = ['closes_streams', 'exits_silently', 'exits_with_256'];

describe.skipIf(mustSkipDocker(found))('a hostile scaffold', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: DockerSandbox;
  let server: Server;
  let connections = 0;
  let port = 0;

  beforeAll(async () => {
    process.env.REPRISE_TEST_API_KEY = SECRET;
    sandbox = dockerSandbox({ environment: { ...environment, REPRISE_TEST_API_KEY: SECRET }, warm: false });
    await sandbox.prepare();
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    port = (server.address() as { port: number }).port;
  });

  afterAll(async () => {
    delete process.env.REPRISE_TEST_API_KEY;
    server?.close();
    await sandbox?.close();
  });

  async function contains(hostile: HostileCase): Promise<void> {
    const limits = { ...LIMITS, timeout_sec: hostile.timeoutSec ?? PATIENT.timeout_sec, ...hostile.limits };
    const options = { ...withoutModel, limits };
    const { 'scaffold.py': code = '', ...files } = hostileScaffold(hostile);
    const result = await sandbox.call(await scaffold(code, { files, input: `${port}\n` }), options);
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

    const next = await sandbox.call(
      await scaffold('def process_input(text): return text * 2', { input: '21' }),
      {
        ...withoutModel,
        limits: PATIENT,
      },
    );
    expect(next).toMatchObject({ status: 'ok', output: '2121', stdout: '', stderr: '' });
  }

  describe('that takes what there is is stopped:', () => {
    for (const hostile of EXHAUSTION) test(hostile.name, () => contains(hostile));
  });

  describe('that reaches out of its container meets a wall:', () => {
    for (const hostile of ESCAPES) test(hostile.name, () => contains(hostile));

    test('no connection has reached the host', () => {
      expect(connections).toBe(0);
    });
  });

  describe('that lies about its end is seen through:', () => {
    for (const hostile of DECEITS) test(hostile.name, () => contains(hostile));
  });
});
