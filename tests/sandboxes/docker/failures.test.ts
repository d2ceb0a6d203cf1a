import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OWNER_LABEL, ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { dockerAddress } from '../../../src/sandboxes/docker-daemon.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import {
  dockerClient,
  findDocker,
  findOwnDaemon,
  mustSkipDocker,
  type OwnDaemon,
  untilRemoved,
} from '../../support/docker.js';
import { until } from '../../support/workplace.js';
import { PATIENT, program } from '../limits.js';

const found = await findDocker();
const ownDaemon = await findOwnDaemon(found);
const ENDLESS = program('while True: pass');
const GOOD = program('print("good")');

/** The daemon at a TCP address, as on another machine, whose connections can be cut. */
async function startProxy(environment: Record<string, string>) {
  const { socketPath, host, port } = dockerAddress(environment).options;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = socketPath === undefined ? connect(Number(port), host) : connect(socketPath);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The container of the one program that runs, beside its runner. Another one may be on its way out. */
async function runningContainer(docker: Docker): Promise<Docker.Container> {
  let container: Docker.Container | undefined;
  await until('the program runs', async () => {
    const label = [`${OWNER_LABEL}=${ownerLabel()}`];
    for (const { Id } of await docker.listContainers({ filters: { label } })) {
      const listed = docker.getContainer(Id);
      const processes = await listed.top().catch(() => null);
      if (processes?.Processes?.length === 2) container = listed;
    }
    return container !== undefined;
  });
  return container as unknown as Docker.Container;
}

describe.skipIf(mustSkipDocker(found))('where Docker fails in the middle of a program', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  let sandbox: DockerSandbox;

  beforeAll(async () => {
    sandbox = dockerSandbox({ environment, warm: false });
    await sandbox.prepare();
  });
  afterEach(() => untilRemoved(docker, ownerLabel()));
  afterAll(() => sandbox?.close());

  test.each([
    ['docker kill', (container: Docker.Container) => container.kill()],
    ['docker stop', (container: Docker.Container) => container.stop({ t: 0 })],
    ['docker rm --force', (container: Docker.Container) => container.remove({ force: true })],
  ])('%s is no result of the program', async (_name, act) => {
    const running = sandbox.run(ENDLESS, { limits: PATIENT });
    const failing = expect(running).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(/from outside/),
    });
    await act(await runningContainer(docker));
    await failing;
    expect(await sandbox.run(GOOD, { limits: PATIENT })).toMatchObject({ status: 'ok', stdout: 'good\n' });
  });

  test('a container that is paused is no result of the program, and is removed', async () => {
    const limits = { ...PATIENT, timeout_sec: 3 };
    const running = sandbox.run(ENDLESS, { limits });
    const container = await runningContainer(docker);
    const failing = expect(running).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(/paused from outside/),
    });
    // The runner is frozen as well, and keeps no deadline.
    await container.pause();
    await failing;
  });

  test('a connection that breaks is no result of the program, and the container ends by itself', async () => {
    const proxy = await startProxy(environment);
    const far = dockerSandbox({ environment: { ...environment, DOCKER_HOST: proxy.address }, warm: false });
    expect(await far.run(GOOD, { limits: PATIENT })).toMatchObject({ status: 'ok', stdout: 'good\n' });

    const running = far.run(ENDLESS, { limits: PATIENT });
    const failing = expect(running).rejects.toMatchObject({ name: 'SandboxError', retryable: true });
    const container = await runningContainer(docker);
    await proxy.close();
    await failing;
    await until('the container has ended', async () => !(await container.inspect()).State.Running);
    // Its worker cannot reach the daemon any more, and is not dead: another one removes it when its time is over.
    await container.remove();
    await far.close();
  });

  test('an abort ends the program', async () => {
    const controller = new AbortController();
    const running = sandbox.run(ENDLESS, { limits: PATIENT, signal: controller.signal });
    const failing = expect(running).rejects.toThrow('cancelled');
    await runningContainer(docker);
    controller.abort(new Error('cancelled'));
    await failing;
  });
});

describe.skipIf(mustSkipDocker(ownDaemon))('where the daemon goes', () => {
  let daemon: OwnDaemon;
  let sandbox: DockerSandbox;

  beforeAll(async () => {
    if ('missing' in ownDaemon) throw new Error(ownDaemon.missing);
    daemon = await ownDaemon.start();
    sandbox = dockerSandbox({ environment: daemon.environment, warm: false });
    await sandbox.prepare();
  });
  afterEach(() => untilRemoved(daemon.docker));
  afterAll(async () => {
    await sandbox?.close();
    await daemon?.remove();
  });

  test('a program in the middle is an error to be retried, and all is well after the restart', async () => {
    const running = sandbox.run(ENDLESS, { limits: PATIENT });
    const failing = expect(running).rejects.toMatchObject({ name: 'SandboxError', retryable: true });
    await runningContainer(daemon.docker);
    await daemon.restart();
    await failing;
    const results = await Promise.all([1, 2].map(() => sandbox.run(GOOD, { limits: PATIENT })));
    for (const result of results) expect(result).toMatchObject({ status: 'ok', stdout: 'good\n' });
    await sandbox.sweep();
  });

  test('a new program is an error to be retried while it is unreachable, and runs when it is back', async () => {
    await daemon.stop();
    const unreachable = sandbox.run(GOOD, { limits: PATIENT });
    await expect(unreachable).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(/^the Docker daemon at .* is unreachable: /),
    });
    await daemon.restart();
    expect(await sandbox.run(GOOD, { limits: PATIENT })).toMatchObject({ status: 'ok', stdout: 'good\n' });
  });
});

describe('where no daemon can be used', () => {
  const PROCESS =
    /`sandbox: process`.*as your user on this machine, with your files and your network.*trust only/;

  test('the message says what to install or start, and what the other sandbox would mean', async () => {
    const sandbox = dockerSandbox({ environment: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } });
    const error = await sandbox.prepare().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'SandboxError', retryable: false });
    expect(error.message).toContain('no Docker daemon answers at /nowhere/docker.sock');
    for (const part of ['Docker Engine', 'sudo systemctl start docker', 'DOCKER_HOST']) {
      expect(error.message).toContain(part);
    }
    expect(error.message).toMatch(PROCESS);
    await expect(sandbox.run(GOOD, { limits: PATIENT })).rejects.toMatchObject({ retryable: true });
    await sandbox.close();
  });

  test('a machine that refuses the connection is named', async () => {
    const sandbox = dockerSandbox({ environment: { DOCKER_HOST: 'tcp://127.0.0.1:1' } });
    await expect(sandbox.prepare()).rejects.toThrow('no Docker daemon answers at tcp://127.0.0.1:1.');
  });

  test.runIf(process.getuid?.() === 0)(
    'a user without rights to the socket is told how to get them',
    async () => {
      const folder = await mkdtemp('/tmp/reprise-socket-');
      const socket = join(folder, 'docker.sock');
      const server = createServer().listen(socket);
      await new Promise((resolve) => server.once('listening', resolve));
      await chmod(folder, 0o755);
      await chmod(socket, 0o600);
      await chown(socket, 65534, 65534);
      const worker = fileURLToPath(new URL('worker-process.ts', import.meta.url));
      // Root itself, who owns the checkout and may read it, without root's power over what others own.
      const mortal = ['--bounding-set', '-dac_override', '--inh-caps', '-dac_override'];
      const command = [process.execPath, 'node_modules/jiti/lib/jiti-cli.mjs', worker];
      const child = spawn('setpriv', [...mortal, ...command], {
        env: { PATH: process.env.PATH, DOCKER_HOST: `unix://${socket}`, JITI_FS_CACHE: 'false' },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
      await new Promise((resolve) => child.once('close', resolve));
      server.close();
      await rm(folder, { recursive: true });
      expect(output).toMatch(/^SandboxError: this user may not use the Docker daemon at/);
      expect(output).toContain('usermod -aG docker');
      expect(output).toMatch(PROCESS);
    },
  );
});
