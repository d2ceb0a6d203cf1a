import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { GRACE_MS } from '../../src/sandboxes/container-execution.js';
import { DockerDaemon } from '../../src/sandboxes/docker-daemon.js';
import { dockerSandbox } from '../../src/sandboxes/docker-sandbox.js';
import { Sandboxes } from '../../src/workers/sandboxes.js';
import { startFakeDaemon } from './fake-daemon.js';
import { LIMITS, program } from './limits.js';

afterEach(() => void vi.useRealTimers());

const INFO = { status: 200, body: { OSType: 'linux', NCPU: 2 } };
const IMAGE = { status: 200, body: { Config: {} } };
const failing = (status: number, message: string) => ({ status, body: { message } });
const failureOf = (work: Promise<unknown>) => work.then(null, (error: unknown) => error);

describe('a daemon that takes connections and is silent', () => {
  test('ends a call that heeds no signal', async () => {
    const { environment } = await startFakeDaemon(() => undefined);
    const daemon = new DockerDaemon(environment);
    expect(await failureOf(daemon.call((client) => client.info(), 50))).toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(/^the Docker daemon at .* does not answer$/),
    });
  });

  test('is told of after a minute, and asked anew by the next one', async () => {
    let isSilent = true;
    const { environment, calls } = await startFakeDaemon((call) => {
      if (isSilent) return undefined;
      return call === 'GET /info' ? INFO : failing(400, 'refused');
    });
    const sandbox = dockerSandbox({ environment: { ...environment, REPRISE_RUNNER_IMAGE: 'image' } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = failureOf(sandbox.prepare());
    await vi.waitUntil(() => calls.length === 1);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(await silent).toMatchObject({ message: expect.stringContaining('does not answer') });
    isSilent = false;
    expect(await failureOf(sandbox.prepare())).toMatchObject({ message: expect.stringContaining('refused') });
    await sandbox.close();
  });
});

describe('an image that cannot be had', () => {
  /** A daemon that has the image until a container is to be made from it. */
  async function place() {
    let isThere = true;
    const daemon = await startFakeDaemon((call) => {
      if (call === 'GET /info') return INFO;
      if (call === 'GET /images/image/json') return isThere ? IMAGE : failing(404, 'no such image');
      if (call === 'POST /images/create') return failing(500, 'the registry is unreachable');
      if (call === 'GET /containers/json') return { status: 200, body: [] };
      isThere = false;
      return failing(404, 'No such image: image');
    });
    return {
      ...daemon,
      environment: { ...daemon.environment, REPRISE_RUNNER_IMAGE: 'image' },
      remove: () => (isThere = false),
    };
  }

  test('ends a run that begins', async () => {
    const { environment, remove } = await place();
    remove();
    const sandbox = dockerSandbox({ environment });
    expect(await failureOf(sandbox.prepare())).toMatchObject({
      retryable: false,
      message: expect.stringContaining('cannot be pulled: '),
    });
    await sandbox.close();
  });

  test('is tried again in one that had it', async () => {
    const { environment } = await place();
    const sandbox = dockerSandbox({ environment, warm: false });
    await sandbox.prepare();
    for (let time = 0; time < 2; time++) {
      expect(await failureOf(sandbox.run(program(''), { limits: LIMITS }))).toMatchObject({
        name: 'SandboxError',
        retryable: true,
        message: expect.stringContaining('the registry is unreachable'),
      });
    }
    await sandbox.close();
  });

  test('is told of by a worker before it is fetched', async () => {
    const { environment, remove } = await place();
    remove();
    const said: string[] = [];
    const sandboxes = new Sandboxes(environment, (line) => said.push(line));
    await failureOf((await sandboxes.get('docker')).prepare());
    expect(said).toEqual(['pulling image, the image that code is run in']);
    await sandboxes.close();
  });
});

test('the runner is given the time that it takes to end a program', async () => {
  const path = new URL('../../docker/scaffold-runner/supervisor.py', import.meta.url);
  const [, seconds] = /^REAP_SEC = ([\d.]+)$/m.exec(await readFile(path, 'utf8')) ?? [];
  expect(GRACE_MS).toBeGreaterThanOrEqual(Number(seconds) * 1000 + 400);
});
