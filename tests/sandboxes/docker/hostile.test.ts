import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { dockerClient, findDocker, mustSkipDocker, untilRemoved } from '../../support/docker.js';
import { DECEITS, ESCAPES, EXHAUSTION, type HostileCase, hostileProgram } from '../hostile/cases.js';
import { expectContained } from '../hostile/contained.js';
import { LIMITS, PATIENT, program } from '../limits.js';

const found = await findDocker();
const SECRET = 'sk-this-is-nobodys-business';

describe.skipIf(mustSkipDocker(found))('a hostile program in Docker', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: DockerSandbox;
  let server: Server;
  let connections = 0;
  let port = 0;

  beforeAll(async () => {
    // The worker has keys, here and in the environment that the sandbox is handed.
    process.env.REPRISE_TEST_API_KEY = SECRET;
    sandbox = dockerSandbox({
      environment: { ...environment, REPRISE_TEST_API_KEY: SECRET },
      warm: false,
    });
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
    const result = await sandbox.run(hostileProgram(hostile, String(port)), { limits });
    await untilRemoved(docker, ownerLabel());
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expectContained(hostile, result, limits);
    const next = await sandbox.run(program('print(6 * 7)'), { limits: PATIENT });
    expect(next).toMatchObject({ status: 'ok', stdout: '42\n', stderr: '', exit_code: 0 });
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

  test('has no variable of the worker in its environment', async () => {
    const result = await sandbox.run(program('import os; print(sorted(os.environ))'), { limits: PATIENT });
    expect(result.stdout).toBe("['HOME', 'LANG', 'PATH', 'PYTHONHASHSEED', 'TMPDIR']\n");
  });

  test('has its forged answers taken for the text that they are', async () => {
    const forged = DECEITS.find(({ name }) => name === 'forged_answers') as HostileCase;
    const { stdout, stderr } = await sandbox.run(hostileProgram(forged), { limits: PATIENT });
    const line = /^\{"type": "result", "status": "ok", .*"nonce": "0{32}"\}\n/;
    expect(stderr).toMatch(line);
    expect(stdout).toMatch(line);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout).toContain('\x01\0\0\0\0\0\0');
  });

  test('has no capability, no way to new ones, and a filter on its calls', async () => {
    const rights = ESCAPES.find(({ name }) => name === 'gains_rights') as HostileCase;
    const { stdout } = await sandbox.run(hostileProgram(rights), { limits: PATIENT });
    const none = '0000000000000000';
    for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(stdout).toContain(`${set}: ${none}\n`);
    expect(stdout).toContain('Uid: 65534 65534 65534 65534\nCap');
    expect(stdout).toContain('NoNewPrivs: 1\nSeccomp: 2\n');
  });
});
