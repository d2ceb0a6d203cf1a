import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { DEFAULT_BASE, provideRunnerImage } from '../../../src/sandboxes/runner-image.js';
import { baseImage, dockerClient, findDocker, mustSkipDocker } from '../../support/docker.js';
import { PATIENT, program } from '../limits.js';

const found = await findDocker();

describe.skipIf(mustSkipDocker(found))('the image that code is run in', () => {
  const { REPRISE_RUNNER_IMAGE: _ready, ...environment } =
    'environment' in found ? found.environment : ({} as Record<string, string>);
  const docker = dockerClient(environment);
  const images: string[] = [];

  afterAll(async () => {
    for (const image of images)
      await docker
        .getImage(image)
        .remove({ force: true })
        .catch(() => {});
  });

  /** A base under a name of this test's own, so that nothing was built on it before. */
  async function newBase(): Promise<Record<string, string>> {
    const [repo, tag] = ['reprise-test-base', randomUUID()];
    const base = `${repo}:${tag}`;
    const image = baseImage(environment);
    if (environment.REPRISE_RUNNER_BASE === undefined) {
      // The default one is there as soon as anything was built on it.
      await provideRunnerImage(docker, environment, () => {});
    }
    await docker.getImage(image).tag({ repo, tag });
    images.push(base);
    return { ...environment, REPRISE_RUNNER_BASE: base };
  }

  /** A sandbox, and what it said. */
  function open(variables: Record<string, string>) {
    const said: string[] = [];
    const say = (line: string) => said.push(line);
    return { said, sandbox: dockerSandbox({ environment: variables, say, warm: false }) };
  }

  const nameOf = (line: string | undefined) => {
    const name = /reprise-scaffold-runner:[0-9a-f]{16}/.exec(line ?? '')?.[0] ?? 'no name';
    images.push(name);
    return name;
  };

  test('is built once, named after its content and its base, and found from then on', async () => {
    const variables = await newBase();
    const first = open(variables);
    await first.sandbox.prepare();
    expect(first.said).toEqual([
      expect.stringMatching(/^building reprise-scaffold-runner:[0-9a-f]{16} on reprise-test-base:/),
    ]);
    const name = nameOf(first.said[0]);
    const built = await docker.getImage(name).inspect();
    expect(built.Config.User).toBe('65534:65534');

    const second = open(variables);
    await second.sandbox.prepare();
    await second.sandbox.run(program('print(1)'), { limits: PATIENT });
    expect(second.said).toEqual([]);

    const other = open(await newBase());
    await other.sandbox.prepare();
    expect(nameOf(other.said[0])).not.toBe(name);
  });

  test('may be built by two workers at once', async () => {
    const variables = await newBase();
    const workers = [open(variables), open(variables)];
    const results = await Promise.all(
      workers.map(async ({ sandbox }) => {
        await sandbox.prepare();
        return sandbox.run(program('print("works")'), { limits: PATIENT });
      }),
    );
    for (const result of results) expect(result).toMatchObject({ status: 'ok', stdout: 'works\n' });
    expect(new Set(workers.map(({ said }) => nameOf(said[0]))).size).toBe(1);
  });

  test('is built by the first program where nobody prepared it, and again where somebody removed it', async () => {
    const { sandbox, said } = open(await newBase());
    const results = await Promise.all(
      [1, 2].map(() => sandbox.run(program('print(1)'), { limits: PATIENT })),
    );
    for (const result of results) expect(result).toMatchObject({ status: 'ok', stdout: '1\n' });
    expect(said).toHaveLength(1);

    await docker.getImage(nameOf(said[0])).remove({ force: true });
    const next = await sandbox.run(program('print(2)'), { limits: PATIENT });
    expect(next).toMatchObject({ status: 'ok', stdout: '2\n' });
    expect(said).toHaveLength(2);
  });

  test('is the one that REPRISE_RUNNER_IMAGE names, and nothing is built', async () => {
    const name = await provideRunnerImage(docker, environment, () => {});
    const tag = randomUUID();
    await docker.getImage(name).tag({ repo: 'reprise-test-image', tag });
    images.push(`reprise-test-image:${tag}`);
    const ready = { ...environment, REPRISE_RUNNER_IMAGE: `reprise-test-image:${tag}` };
    const { sandbox, said } = open({ ...ready, REPRISE_RUNNER_BASE: 'there-is-no-such-base:1' });
    await sandbox.prepare();
    expect(await sandbox.run(program('print(1)'), { limits: PATIENT })).toMatchObject({ stdout: '1\n' });
    expect(said).toEqual([]);
  });

  test('that is nowhere to be had is named, with the variable that names it', async () => {
    const image = `localhost:1/nowhere:${randomUUID()}`;
    const missing = open({ ...environment, REPRISE_RUNNER_IMAGE: image });
    await expect(missing.sandbox.prepare()).rejects.toMatchObject({
      name: 'SandboxError',
      message: expect.stringContaining(image),
    });
    const { sandbox } = open({ ...environment, REPRISE_RUNNER_BASE: image });
    await expect(sandbox.prepare()).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: false,
      message: expect.stringMatching(/cannot be built on localhost:1\/nowhere.*REPRISE_RUNNER_IMAGE/s),
    });
  });

  test('without the runner is told apart from a program that fails', async () => {
    const { sandbox } = open({ ...environment, REPRISE_RUNNER_IMAGE: baseImage(environment) });
    await expect(sandbox.run(program('print(1)'), { limits: PATIENT })).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: false,
    });
  });

  test('of another version is told apart from a program that fails', async () => {
    const name = await provideRunnerImage(docker, environment, () => {});
    const container = await docker.createContainer({ Image: name });
    const tag = randomUUID();
    const speak = `ENTRYPOINT ["python3", "-c", "print('{\\"type\\": \\"ready\\", \\"protocol\\": 0}')"]`;
    await container.commit({ repo: 'reprise-test-version', tag, changes: speak });
    await container.remove();
    images.push(`reprise-test-version:${tag}`);
    const { sandbox } = open({ ...environment, REPRISE_RUNNER_IMAGE: `reprise-test-version:${tag}` });
    await expect(sandbox.run(program(''), { limits: PATIENT })).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: false,
      message: expect.stringContaining('is of another version of Reprise'),
    });
  });

  test('is built on the base that the Dockerfile names, unless another is named', () => {
    const dockerfile = readFileSync('docker/scaffold-runner/Dockerfile', 'utf8');
    expect(dockerfile).toContain(`\nARG BASE=${DEFAULT_BASE}\n`);
  });

  test('with volumes is refused, because a program could fill them', async () => {
    const name = await provideRunnerImage(docker, environment, () => {});
    const container = await docker.createContainer({ Image: name });
    const tag = randomUUID();
    await container.commit({ repo: 'reprise-test-volume', tag, changes: 'VOLUME /data' });
    await container.remove();
    images.push(`reprise-test-volume:${tag}`);
    const { sandbox } = open({ ...environment, REPRISE_RUNNER_IMAGE: `reprise-test-volume:${tag}` });
    await expect(sandbox.prepare()).rejects.toThrow('declares volumes (/data): use one without');
  });
});
