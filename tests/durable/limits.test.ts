import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

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
    '%s: keeps what is paid for, says so, and goes on with a higher limit',
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
