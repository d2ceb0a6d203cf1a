import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/storage/process-identity.js';
import { useEmbeddedServer } from '../../src/workers/embedded-server.js';
import { freePort } from '../../src/workers/free-port.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { atNight, IS_NIGHT } from '../support/nightly.js';
import { answers, spawnServer } from '../support/own-server.js';
import { sumsConfig, until, untilIn, Workplace } from '../support/workplace.js';

/** Each says so in the log when it is up. */
async function serversStarted(place: Workplace): Promise<number> {
  const log = await readFile(place.path('.reprise', 'server.log'), 'utf8');
  return log.match(/Server:/g)?.length ?? 0;
}

describe('the embedded server of a folder', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeEach(async () => {
    place = await Workplace.make({}, { keepsServer: false });
    provider = await startFakeProvider('openai', { latencyMs: 100 });
  });

  afterEach(async () => {
    await provider.close();
    await place.dispose();
  });

  it('outlives its command, is found by the next one, and ends with its last user', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 40));
    const first = place.start(['run', 'sums.yaml']);
    await until('calls arrive', () => provider.statistics.calls > 10);
    const server = await place.server();
    await place.kill(first);
    expect(existsSync(`/proc/${server?.pid}`)).toBe(true);
    const status = await place.reprise(['status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject([{ id: 'sums', status: 'running' }]);
    expect((await place.reprise(['run', 'sums.yaml'])).code).toBe(0);
    await until('the server is gone', () => !existsSync(`/proc/${server?.pid}`));
  });

  it('is started again when it dies with its command, and the run continues', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 40));
    const first = place.start(['run', 'sums.yaml']);
    await until('calls arrive', () => provider.statistics.calls > 10);
    const server = (await place.server()) as { pid: number };
    await place.kill(first);
    process.kill(server.pid, 'SIGKILL');
    await until('the server is gone', () => !existsSync(`/proc/${server.pid}`));
    const { code, stderr } = await place.reprise(['run', 'sums.yaml']);
    expect(stderr).toContain('Attached to sums');
    expect(code).toBe(0);
    expect(await place.metrics('sums')).toMatchObject({ correct: 40, lm_calls: 40 });
    expect(provider.statistics.repeated).toBeLessThanOrEqual(8);
  });

  atNight('is never mistaken for another server that took its port', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 400));
    const running = place.start(['run', 'sums.yaml']);
    await until('calls arrive', () => provider.statistics.calls > 10);
    const { pid, port } = (await place.server()) as { pid: number; port: number };
    // It stands still meanwhile, or it would start its own server again before the other one has taken the port.
    running.process.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await until('the port is free', async () => (await freePort(port)) === port);
    const foreign = spawnServer(port);
    try {
      await until('the foreign server has the port', () => answers(place, foreign));
      running.process.kill('SIGCONT');
      const { code, stderr } = await running.done;
      expect(stderr).toContain(`another program has taken its port ${port}`);
      expect(code).toBe(1);
      const again = await place.reprise(['run', 'sums.yaml']);
      expect(again.stderr).toContain('Attached to sums');
      expect(again.code).toBe(0);
      expect(await place.metrics('sums')).toMatchObject({ correct: 400, lm_calls: 400 });
    } finally {
      await foreign.stop();
    }
  });

  it('is waited for where it stands still, and nobody starts another on its database', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 40));
    await place.write('too.yaml', { ...sumsConfig(provider.baseUrl, 3), name: 'too' });
    const first = place.start(['run', 'sums.yaml']);
    await until('calls arrive', () => provider.statistics.calls > 10);
    const server = (await place.server()) as { pid: number };
    process.kill(server.pid, 'SIGSTOP');
    const second = place.start(['run', 'too.yaml']);
    try {
      await untilIn(second, 'it waits', () =>
        second.output().includes(`The Temporal server (process ${server.pid}) does not answer yet`),
      );
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    expect(await second.done).toMatchObject({ code: 0 });
    expect(await first.done).toMatchObject({ code: 0 });
    expect(await place.metrics('sums')).toMatchObject({ correct: 40, lm_calls: 40 });
    expect(await serversStarted(place)).toBe(1);
  });

  atNight('is ended where it stands still for long, before it is started again', async () => {
    const folder = place.path('.reprise');
    const first = await useEmbeddedServer({ folder });
    process.kill(first.pid, 'SIGSTOP');
    const second = await useEmbeddedServer({ folder, patience: 500 });
    try {
      expect(isAlive(first.pid)).toBe(false);
      expect(second).toMatchObject({ address: first.address, started: true });
      expect((await place.temporal('workflow', 'list')).code).toBe(0);
    } finally {
      await first.release();
      await second.release();
    }
    expect(isAlive(second.pid)).toBe(false);
  });

  it.each(IS_NIGHT ? [1, 2, 3] : [1])(
    'is one where two commands come at once to a new folder (%i)',
    async () => {
      const names = ['one', 'two'];
      const sums = sumsConfig(provider.baseUrl, 3);
      for (const name of names) await place.write(`${name}.yaml`, { ...sums, name });
      await rm(place.path('.reprise'), { recursive: true });
      const ended = await Promise.all(names.map((name) => place.reprise(['run', `${name}.yaml`])));
      for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
      for (const name of names) expect(await place.metrics(name)).toMatchObject({ correct: 3 });
      expect(await serversStarted(place)).toBe(1);
    },
  );

  it('two folders have two servers, and neither sees the other’s runs', async () => {
    const other = await Workplace.make({}, { keepsServer: false });
    try {
      await Promise.all([place.dev(), other.dev()]);
      await place.write('sums.yaml', sumsConfig(provider.baseUrl, 3));
      expect((await place.reprise(['run', 'sums.yaml'])).code).toBe(0);
      expect((await other.reprise(['status', '--json'])).stdout.trim()).toBe('[]');
      expect(await place.address()).not.toBe(await other.address());
    } finally {
      await other.dispose();
    }
  });
});
