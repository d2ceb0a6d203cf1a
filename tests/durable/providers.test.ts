import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { ownPort, type Running, sumsConfig, unfolded, untilIn, Workplace } from '../support/workplace.js';

describe('a provider that misbehaves', () => {
  let place: Workplace;
  let provider: FakeProvider;
  /** A run with a provider at whose port nobody is. */
  let nobody: Running;
  let unused: number;

  beforeAll(async () => {
    place = await Workplace.make();
    await place.dev();
    // Until it is given up it takes about 15 seconds: meanwhile the others are tried.
    unused = await ownPort();
    await place.write(
      'nobody.yaml',
      sumsConfig(`http://127.0.0.1:${unused}/v1`, 20, { name: 'nobody', lm: { max_attempts: 1 } }),
    );
    nobody = place.start(['run', 'nobody.yaml']);
  });

  afterAll(() => place.dispose());

  async function run(name: string, more: Record<string, unknown> = {}, count = 12) {
    await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, count, { name, ...more }));
    const outcome = await place.reprise(['run', `${name}.yaml`]);
    return { ...outcome, metrics: await place.metrics(name), rows: await place.rows(name) };
  }

  const fresh = async () => {
    provider = await startFakeProvider('openai');
  };

  it('refuses everything for a while: runs wait, say so, and lose nothing', async () => {
    await fresh();
    let isAway = true;
    provider.intercept = () =>
      isAway ? { kind: 'status', status: 503, retryAfter: 1, message: 'at capacity' } : undefined;
    // Each command has a worker, and both do the work of both.
    const runs = [
      { name: 'waits' },
      // Here each request needs leave, and is an activity of its own.
      { name: 'waits-limited', limits: { max_lm_calls: 200 } },
    ];
    for (const run of runs) {
      await place.write(`${run.name}.yaml`, sumsConfig(provider.baseUrl, 12, run));
    }
    const commands = runs.map(({ name }) => place.start(['run', `${name}.yaml`]));
    const client = await place.client();
    const messageOf = async (name: string) => {
      const { message } = await client.workflow.getHandle(name).query<RunProgress>('progress');
      return message;
    };
    for (const [at, { name }] of runs.entries()) {
      await untilIn(commands[at] as Running, `${name} says what it waits for`, async () =>
        /waiting for openai\/.*at capacity/.test((await messageOf(name).catch(() => null)) ?? ''),
      );
    }
    const { stdout } = await place.reprise(['status', 'waits']);
    expect(stdout).toContain('running: waiting for openai/');
    const asked = provider.statistics.calls;
    // Two seconds of an outage: one call asks now and then, and not twelve.
    await sleep(2000);
    expect(provider.statistics.calls - asked).toBeLessThan(6);
    isAway = false;
    for (const [at, { name }] of runs.entries()) {
      const { code, stderr } = await (commands[at] as Running).done;
      expect(stderr).toMatch(/waiting for openai\/.*at capacity/i);
      expect(code).toBe(0);
      const metrics = await place.metrics(name);
      expect(metrics).toMatchObject({ status: 'done', correct: 12, errors: 0, lm_calls: 12 });
      expect(metrics.lm_calls_repeated).toBe(0);
    }
    await provider.close();
  });

  it('hangs: the call is given up after timeout_sec and asked again', async () => {
    await fresh();
    provider.next(
      { kind: 'hang', when: 'before_headers' },
      { kind: 'hang', when: 'mid_body' },
      { kind: 'reset', when: 'mid_body' },
    );
    const { code, metrics } = await run('hangs', { lm: { timeout_sec: 1 } });
    expect(code).toBe(0);
    expect(metrics).toMatchObject({ status: 'done', correct: 12, errors: 0, lm_calls: 12 });
    await provider.close();
  });

  it('answers garbage for good: error rows that say so, never a score', async () => {
    await fresh();
    provider.intercept = ({ lastUserText }) => {
      if (/is 0 \+/.test(lastUserText)) return { kind: 'raw', body: '<html>down</html>' };
      if (/is 1 \+/.test(lastUserText)) return { kind: 'reply', text: '' };
      if (/is 2 \+/.test(lastUserText)) return { kind: 'reply', text: 'The answer is', finish: 'length' };
      if (/is 3 \+/.test(lastUserText)) return { kind: 'status', status: 400, message: 'no such thing' };
      return undefined;
    };
    const { code, metrics, rows, stdout } = await run('garbage', { lm: { max_attempts: 2 } });
    // Only what may come out well another time is missing.
    expect(code).toBe(3);
    expect(metrics.status_message).toMatch(/^1 sample is missing \(1 malformed_reply\)/);
    expect(metrics.samples).toBe(12);
    expect(metrics.errors).toBe(3);
    expect(metrics.correct).toBe(8);
    expect(metrics.accuracy).toBeCloseTo(8 / 9);
    expect(metrics).toMatchObject({ cut_off: 1, lm_calls_cut_off: 1 });
    expect(stdout).toMatch(/│ replies cut off +│ 1, at their token limit/);
    expect(rows[0]).toMatchObject({ reward: null, feedback: null, error: { type: expect.any(String) } });
    expect(rows[1]?.error?.type).toBe('EmptyReply');
    expect(rows[2]).toMatchObject({ error: null, finish_reason: 'length', feedback: { correct: false } });
    expect(rows[3]?.error?.message).toContain('no such thing');
    expect(stdout).toContain('could not be judged: in no rate');
    await provider.close();
  });

  it('refuses the key: the run ends at once and names what is wrong', async () => {
    await fresh();
    provider.intercept = () => ({ kind: 'status', status: 401, message: 'invalid api key' });
    const { code, metrics, stdout } = await run('refused', {}, 200);
    expect(code).toBe(1);
    expect(metrics).toMatchObject({ status: 'failed', samples: 0, accuracy: null });
    expect(metrics.status_message).toContain('invalid api key');
    expect(stdout).toContain('invalid api key');
    expect(provider.statistics.calls).toBeLessThan(50);
    // With the key put right, the same command continues.
    provider.intercept = undefined;
    const again = await place.reprise(['run', 'refused.yaml']);
    expect(again.stderr).toContain('Continuing refused');
    expect(again.code).toBe(0);
    expect((await place.metrics('refused')).correct).toBe(200);
    await provider.close();
  });

  it('was never there: the run stops and says so, and the same command continues once it is', async () => {
    const { code, stdout } = await nobody.done;
    expect(code).toBe(1);
    const { status, status_message } = await place.metrics('nobody');
    expect(status).toBe('failed');
    expect(status_message).toMatch(/^cannot connect to openai\/fake, 5 times in a row/);
    expect(unfolded(stdout)).toContain(`failed: ${status_message}`);
    provider = await startFakeProvider('openai', { port: unused });
    const again = await place.reprise(['run', 'nobody.yaml']);
    expect(again.stderr).toContain('Continuing nobody');
    expect(again.code).toBe(0);
    expect(await place.metrics('nobody')).toMatchObject({
      status: 'done',
      correct: 20,
      errors: 0,
      lm_calls: 20,
    });
    await provider.close();
  });

  it('gives up after max_attempts: the run is incomplete, and the same command asks what is missing', async () => {
    await fresh();
    provider.intercept = ({ lastUserText }) =>
      /is 5 \+/.test(lastUserText) ? { kind: 'status', status: 503 } : undefined;
    const { code, metrics, rows, stdout } = await run('flaky', { lm: { max_attempts: 2 } });
    expect(code).toBe(3);
    expect(metrics).toMatchObject({ status: 'incomplete', errors: 1, correct: 11, accuracy: 1 });
    expect(stdout).toContain('1 sample is missing (1 overloaded): the same command');
    expect(rows[5]?.error?.message).toContain('gave up after 2 attempts');
    const asked = provider.requests.filter(({ lastUserText }) => /is 5 \+/.test(lastUserText));
    expect(asked.length).toBe(2);
    expect(await readFile(place.path('results', 'flaky', 'report.html'), 'utf8')).toContain('Incomplete.');
    expect(await readdir(place.path('results', 'flaky'))).toContain('parts');

    provider.intercept = undefined;
    const before = provider.statistics.calls;
    const again = await place.reprise(['run', 'flaky.yaml']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('Continuing flaky');
    expect(provider.statistics.calls - before).toBe(1);
    const last = await place.metrics('flaky');
    expect(last).toMatchObject({
      status: 'done',
      errors: 0,
      correct: 12,
      lm_calls: 12,
      status_message: null,
    });
    expect(await readdir(place.path('results', 'flaky'))).not.toContain('parts');
    await provider.close();
  });
});
