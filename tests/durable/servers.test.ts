import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { answers, spawnServer } from '../support/own-server.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

describe('the embedded server of a folder', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeEach(async () => {
    place = await Workplace.make();
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

  it('is started again when it dies with its command, and the run goes on', async () => {
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

  it('is never mistaken for another server that took its port', async () => {
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 400));
    const running = place.start(['run', 'sums.yaml']);
    await until('calls arrive', () => provider.statistics.calls > 10);
    const { pid, port } = (await place.server()) as { pid: number; port: number };
    // It stands still meanwhile, or it would start its own server again before the other one has taken the port.
    running.process.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
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

  it('two folders have two servers, and neither sees the other’s runs', async () => {
    const other = await Workplace.make();
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
