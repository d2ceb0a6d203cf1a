import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

const SAMPLES = 30;

describe('limits', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText }) => ({
        text: String(
          [...lastUserText.matchAll(/\d+/g)].slice(-2).reduce((sum, [digits]) => sum + Number(digits), 0),
        ),
        usage: { input: 100, output: 100 },
      }),
    });
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** Runs with a limit, then again with a higher one. Answers what the provider was asked in each. */
  async function runTwice(name: string, more: Record<string, unknown>, higher: string[]) {
    const { calls: before, repeated } = provider.statistics;
    await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, SAMPLES, { name, ...more }));
    const first = await place.reprise(['run', `${name}.yaml`]);
    const between = provider.statistics.calls;
    const limited = await place.metrics(name);
    const rows = await place.rows(name);
    const second = await place.reprise(['run', `${name}.yaml`, ...higher]);
    return {
      first,
      limited,
      rows,
      calls: between - before,
      second,
      whole: await place.metrics(name),
      callsInAll: provider.statistics.calls - before,
      repeated: provider.statistics.repeated - repeated,
    };
  }

  it.each([
    ['calls', { max_lm_calls: 12, max_wall_seconds: 3600 }, 'limits.max_lm_calls', 12, 12],
    // 200 tokens a call; up to eight are in flight when the limit is reached.
    ['tokens', { max_tokens: 2000 }, 'limits.max_tokens', 1, 10 + 8],
  ])(
    '%s: keeps what is paid for, says so, and continues with a higher limit',
    async (name, limits, field, least, most) => {
      const higher = ['--set', `${field}=100000`];
      const { first, limited, rows, calls, second, whole, callsInAll } = await runTwice(
        name,
        { limits },
        higher,
      );
      expect(first.code).toBe(3);
      expect(first.stdout).toContain('limit_reached');
      expect(first.stdout).toContain(field);
      expect(limited).toMatchObject({ status: 'limit_reached', samples_planned: SAMPLES, lm_calls: calls });
      expect(calls).toBeGreaterThanOrEqual(least);
      expect(calls).toBeLessThanOrEqual(most);
      expect(rows.length).toBe(limited.samples);
      expect(limited.accuracy).toBe(1);
      expect(second.stderr).toContain(`Continuing ${name}`);
      expect(second.code).toBe(0);
      expect(whole).toMatchObject({ status: 'done', samples: SAMPLES, correct: SAMPLES, lm_calls: SAMPLES });
      expect(callsInAll).toBe(SAMPLES);
    },
  );

  it('one memory for all samples: they are gone through once more, and no stored reply is asked for again', async () => {
    const { limited, calls, second, whole, callsInAll, repeated } = await runTwice(
      'one-memory',
      { runtime: { memory_scope: 'run' }, limits: { max_lm_calls: 12 } },
      ['--set', 'limits.max_lm_calls=100000'],
    );
    expect(limited).toMatchObject({ status: 'limit_reached', samples: 12, lm_calls: 12 });
    expect(calls).toBe(12);
    expect(second.code).toBe(0);
    expect(whole).toMatchObject({
      status: 'done',
      samples: SAMPLES,
      correct: SAMPLES,
      lm_calls: SAMPLES,
      lm_calls_repeated: 0,
    });
    expect(callsInAll).toBe(SAMPLES);
    expect(repeated).toBe(0);
  });

  it.each(['call', 'unit'])(
    'enough is known: ends well, and continues to know more, by %s',
    async (grain) => {
      const name = `known-${grain}`;
      const samples = 400;
      const runtime = { memory_scope: 'sample', concurrency: 8, grain };
      await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, samples, { name, runtime }));
      const untilKnown = (interval: number) => [
        ...['run', `${name}.yaml`, '--set', 'dataset.shuffle=true'],
        ...['--set', `limits.stop_when.interval=${interval}`],
      ];
      const { calls } = provider.statistics;
      const first = await place.reprise(untilKnown(0.1));
      expect(first.code, first.stderr).toBe(0);
      expect(first.stdout).toMatch(/limits\.stop_when\.interval: correct is 100\.0 % \[/);
      const decided = await place.metrics(name);
      expect(decided).toMatchObject({ status: 'decided', lm_calls: provider.statistics.calls - calls });
      expect(decided.samples).toBeLessThan(samples);

      const second = await place.reprise(untilKnown(0.001));
      expect(second.stderr).toContain(`Continuing ${name}`);
      expect(await place.metrics(name)).toMatchObject({ status: 'done', samples, lm_calls: samples });
      expect(provider.statistics.calls - calls).toBe(samples);
    },
  );

  it('dollars: stops where the money ends, at the prices of one’s own table', async () => {
    const { host } = new URL(provider.baseUrl);
    // 100 tokens each way: a tenth of a cent a call.
    const prices = { servers: { [host]: { fake: { input: 5, output: 5 } } } };
    const environment = { REPRISE_PRICES: await place.write('prices.json', JSON.stringify(prices)) };
    const { calls } = provider.statistics;
    const config = sumsConfig(provider.baseUrl, SAMPLES, { name: 'cost', limits: { max_cost_usd: 0.01 } });
    await place.write('cost.yaml', config);
    // A server and a worker of their own: the prices are the worker's.
    const elsewhere = { ...environment, REPRISE_SERVER_DIR: place.path('.priced') };
    const { code, stdout } = await place.reprise(['run', 'cost.yaml'], elsewhere);
    expect(stdout).toContain('limits.max_cost_usd');
    expect(code).toBe(3);
    const metrics = await place.metrics('cost');
    expect(metrics.cost_usd).toBeCloseTo(metrics.lm_calls * 0.001);
    expect(metrics.cost_usd).toBeGreaterThanOrEqual(0.01);
    // Overshoot: the calls in flight, no more.
    expect(metrics.cost_usd).toBeLessThanOrEqual(0.01 + 8 * 0.001);
    expect(provider.statistics.calls - calls).toBe(metrics.lm_calls);
  });

  const MANY = 600;
  const CALLS = 200;

  /** Starts a run that its limit ends long before its samples do. */
  async function beginMany(name: string, concurrency: number, limits: Record<string, number>): Promise<void> {
    const config = sumsConfig(provider.baseUrl, MANY, { name, runtime: { concurrency }, limits });
    await place.write(`${name}.yaml`, config);
    const { code, stderr } = await place.reprise(['run', `${name}.yaml`, '--detach']);
    expect(stderr).not.toContain('Error');
    expect(code).toBe(0);
  }

  async function endOf(name: string): Promise<string> {
    const handle = (await place.client()).workflow.getHandle(name);
    await until(`${name} ends`, async () => (await handle.describe()).status.name !== 'RUNNING');
    return (await place.metrics(name)).status;
  }

  it.each<[number, Record<string, number>]>([
    ...(IS_NIGHT ? ([[30, { max_lm_calls: CALLS }]] as [number, Record<string, number>][]) : []),
    [100, { max_lm_calls: CALLS }],
    [50, { max_tokens: CALLS * 200 }],
  ])('with %i lanes, %o is met and the run ends', async (concurrency, limits) => {
    provider.latencyMs = 20;
    const { calls } = provider.statistics;
    const [field] = Object.keys(limits);
    const name = `lanes-${concurrency}`;
    await beginMany(name, concurrency, limits);
    expect(await endOf(name)).toBe('limit_reached');
    const { lm_calls, samples, status_message } = await place.metrics(name);
    expect(provider.statistics.calls - calls).toBe(lm_calls);
    expect(samples).toBe(lm_calls);
    expect(status_message).toContain(`limits.${field}`);
    expect(lm_calls).toBeGreaterThanOrEqual(CALLS);
    // Tokens: passed by the calls in flight at most.
    expect(lm_calls).toBeLessThanOrEqual(field === 'max_lm_calls' ? CALLS : CALLS + concurrency);
    provider.latencyMs = 0;
  });

  it.each<[string, string, (handle: WorkflowHandle) => Promise<unknown>]>([
    ['is stopped', 'stopped', (handle) => handle.executeUpdate('stop')],
    ['is cancelled', 'cancelled', (handle) => handle.cancel()],
    [
      'is paused, given other lanes and resumed',
      'limit_reached',
      async (handle) => {
        await handle.executeUpdate('pause');
        await handle.executeUpdate('setConcurrency', { args: [3] });
        await handle.executeUpdate('resume');
        await handle.executeUpdate('setConcurrency', { args: [90] });
      },
    ],
  ])('a run that %s just before its limit ends', async (what, status, steer) => {
    provider.latencyMs = 200;
    const { calls } = provider.statistics;
    const name = what.replaceAll(/\W+/g, '-');
    await beginMany(name, 60, { max_lm_calls: CALLS });
    await until('it is near its limit', () => provider.statistics.calls - calls > CALLS - 60);
    await steer((await place.client()).workflow.getHandle(name));
    // All that was allotted may have been made before the stop was heard.
    expect([status, 'limit_reached']).toContain(await endOf(name));
    expect(provider.statistics.calls - calls).toBeLessThanOrEqual(CALLS);
    expect((await place.metrics(name)).lm_calls).toBeLessThanOrEqual(CALLS);
    provider.latencyMs = 0;
  });

  it('says what is wrong with a price table', async () => {
    const environment = {
      REPRISE_PRICES: await place.write('wrong.json', '{"servers": {"x": {"m": {"input": -1}}}}'),
    };
    await place.write('wrong.yaml', sumsConfig(provider.baseUrl, 1, { name: 'wrong' }));
    const { code, stderr } = await place.reprise(['run', 'wrong.yaml'], environment);
    expect(code).toBe(2);
    expect(stderr).toContain('REPRISE_PRICES');
  });

  it('dollars: a model without a price is refused before anything is sent', async () => {
    const { calls } = provider.statistics;
    await place.write(
      'nope.yaml',
      sumsConfig(provider.baseUrl, 2, { name: 'nope', limits: { max_cost_usd: 1 } }),
    );
    const { code, stderr } = await place.reprise(['run', 'nope.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('limits.max_cost_usd');
    expect(provider.statistics.calls).toBe(calls);
  });

  it('seconds: ends in order when the time is over', async () => {
    provider.latencyMs = 400;
    await place.write(
      'wall.yaml',
      sumsConfig(provider.baseUrl, 200, {
        name: 'wall',
        runtime: { concurrency: 2 },
        limits: { max_wall_seconds: 3 },
      }),
    );
    const { code } = await place.reprise(['run', 'wall.yaml']);
    provider.latencyMs = 0;
    expect(code).toBe(3);
    const metrics = await place.metrics('wall');
    expect(metrics.status).toBe('limit_reached');
    expect(metrics.status_message).toContain('limits.max_wall_seconds');
    expect(metrics.samples).toBeGreaterThan(0);
    expect(metrics.samples).toBeLessThan(200);
  });
});
