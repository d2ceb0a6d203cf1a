import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ContainerInfo } from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { containerOptions } from '../../../src/sandboxes/container-options.js';
import { OWNER_LABEL, ownerLabel } from '../../../src/sandboxes/container-owner.js';
import { type DockerSandbox, dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { provideRunnerImage } from '../../../src/sandboxes/runner-image.js';
import { dockerClient, findDocker, mustSkipDocker, sandboxContainers } from '../../support/docker.js';
import { until } from '../../support/workplace.js';
import { LIMITS, PATIENT, program } from '../limits.js';

const found = await findDocker();
const WORKER = fileURLToPath(new URL('worker-process.ts', import.meta.url));

describe.skipIf(mustSkipDocker(found))('a container that nobody waits for', () => {
  const environment = 'environment' in found ? found.environment : {};
  const docker = dockerClient(environment);
  const workers: ChildProcess[] = [];
  let sandbox: DockerSandbox;
  let image: string;
  const made: string[] = [];

  beforeAll(async () => {
    sandbox = dockerSandbox({ environment });
    await sandbox.prepare();
    image = await provideRunnerImage(docker, environment, () => {});
  });
  afterEach(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    for (const id of made.splice(0))
      await docker
        .getContainer(id)
        .remove({ force: true })
        .catch(() => {});
  });
  afterAll(() => sandbox?.close());

  /** Starts a worker in a process of its own, and waits until its program runs. */
  async function startWorker(): Promise<{ worker: ChildProcess; container: string }> {
    const worker = spawn(process.execPath, ['node_modules/jiti/lib/jiti-cli.mjs', WORKER], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    workers.push(worker);
    let container: ContainerInfo | undefined;
    await until('the program of the worker runs', async () => {
      if (worker.exitCode !== null) throw new Error('the worker has ended');
      const running = await docker.listContainers({ filters: { label: [OWNER_LABEL] } });
      container = running.find(({ Labels }) => Labels[OWNER_LABEL]?.includes(`/${worker.pid}/`));
      return container !== undefined;
    });
    return { worker, container: container?.Id ?? '' };
  }

  /** A container as the sandbox makes it, with labels of our choice. */
  async function makeContainer(name: string, owner: string, deadline: number): Promise<string> {
    const settings = { name: `reprise-test-${name}-${process.pid}`, image, limits: LIMITS, availableCpus: 1 };
    const container = await docker.createContainer(containerOptions({ ...settings, owner, deadline }));
    made.push(container.id);
    return container.id;
  }

  const isThere = (id: string) =>
    docker
      .getContainer(id)
      .inspect()
      .then(
        () => true,
        () => false,
      );
  const inTenMinutes = () => Date.now() / 1000 + 600;

  test('ends by itself when its worker is killed -9, and is swept away by another', async () => {
    const { worker, container } = await startWorker();
    await sandbox.sweep();
    expect(await isThere(container)).toBe(true);

    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
    await until('the container has ended', async () => {
      const { State } = await docker.getContainer(container).inspect();
      return !State.Running;
    });
    expect(await sandbox.sweep()).toBeGreaterThanOrEqual(1);
    expect(await isThere(container)).toBe(false);
  });

  test('is swept away by the next worker that prepares itself, running or not', async () => {
    const { worker, container } = await startWorker();
    // Frozen, it cannot end by itself.
    await docker.getContainer(container).pause();
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
    const next = dockerSandbox({ environment });
    await next.prepare();
    expect(await isThere(container)).toBe(false);
    await next.close();
  });

  test('is swept away when its time is over, whoever started it', async () => {
    const overdue = await makeContainer('overdue', 'another-host/1/1', Date.now() / 1000 - 130);
    const garbled = await makeContainer('garbled', 'another-host/1/1', Number.NaN);
    await sandbox.sweep();
    expect(await isThere(overdue)).toBe(false);
    expect(await isThere(garbled)).toBe(false);
  });

  test('stays where it may still be waited for', async () => {
    const kept = [
      await makeContainer('other-host', `${hostname()}-2/999999/1`, inTenMinutes()),
      await makeContainer('in-time', ownerLabel(), inTenMinutes()),
      await makeContainer('just-over', ownerLabel(), Date.now() / 1000 - 10),
    ];
    const { id } = await docker.createContainer({ Image: image, Labels: { [OWNER_LABEL]: 'x/1/1' } });
    made.push(id);
    await sandbox.sweep();
    for (const container of [...kept, id]) expect(await isThere(container)).toBe(true);
  });

  test('does not take the id of a dead worker for a living one that has it now', async () => {
    const [host, processId] = ownerLabel().split('/');
    const id = await makeContainer('reused', `${host}/${processId}/1`, inTenMinutes());
    await sandbox.sweep();
    expect(await isThere(id)).toBe(false);
  });

  test('is removed when the sandbox is closed, and the program that ran in it is no result', async () => {
    const closing = dockerSandbox({ environment });
    const before = await sandboxContainers(docker, ownerLabel());
    const running = closing.run(program('while True: pass'), { limits: PATIENT });
    const ending = expect(running).rejects.toMatchObject({ name: 'SandboxError' });
    await until('the program runs', async () => {
      const all = await docker.listContainers({ filters: { label: [`${OWNER_LABEL}=${ownerLabel()}`] } });
      return all.length > before.length;
    });
    await closing.close();
    await ending;
    expect(await sandboxContainers(docker, ownerLabel())).toEqual(before);
    await expect(closing.run(program(''), { limits: PATIENT })).rejects.toThrow('the sandbox is closed');
  });
});
