import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SweepMetrics } from '../../src/kinds/sweep/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

const SAMPLES = 10;
const TEMPERATURES = ['--set', 'lm.temperature=0,1'];

describe('a sweep, on a real server', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText, body }) => {
        const [left = 0, right = 0] = [...lastUserText.matchAll(/\d+/g)].slice(-2).map(Number);
        // The warmer model is wrong about every even sum.
        const isWrong = (body as { temperature?: number }).temperature === 1 && (left + right) % 2 === 0;
        return String(left + right + Number(isWrong));
      },
    });
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  async function sweepOf(name: string, ...more: string[]): Promise<string[]> {
    await place.write(`${name}-base.yaml`, sumsConfig(provider.baseUrl, SAMPLES));
    return ['sweep', `${name}-base.yaml`, '--name', name, '--json', ...more];
  }

  const metricsOf = (stdout: string) => (JSON.parse(stdout) as { metrics: SweepMetrics }).metrics;

  it('survives the death of its command, and compares its cells as reprise compare does', async () => {
    const command = await sweepOf('killed', ...TEMPERATURES, '--repeats', '2');
    const { repeated } = provider.statistics;
    const { code, stdout, stderr } = await place.killedAfter([5, 20], command, provider);
    expect(code, stderr).toBe(0);
    const metrics = metricsOf(stdout);
    expect(metrics).toMatchObject({ kind: 'sweep', status: 'done', cells_planned: 4, lm_calls: 4 * SAMPLES });
    // Four cells with ten lanes each, killed twice.
    expect(provider.statistics.repeated - repeated).toBeLessThanOrEqual(2 * 4 * SAMPLES);
    const [cold, warm] = metrics.cells;
    expect(cold?.figures[0]).toMatchObject({ id: 'accuracy', value: 1 });
    expect(warm?.figures[0]?.value).toBeLessThan(1);
    const [, other] = metrics.settings;
    expect(other).toMatchObject({ settings: { 'lm.temperature': 1 }, cells: [warm?.name, `killed-1_r2`] });
    const names = [cold, warm].map((cell) => `killed/repeat-1/${cell?.name}`);
    const compared = await place.reprise(['compare', ...names, '--json']);
    const [{ scores = [] } = {}] = (JSON.parse(compared.stdout) as { comparisons: { scores: object[] }[] })
      .comparisons;
    // Both repeats have the same answers, and the same samples.
    expect(scores[0]).toMatchObject({
      score: 'correct',
      baseline: 1,
      difference: other?.differences?.[0]?.difference,
    });
    const whole = await place.reprise(['compare', 'killed', '--json']);
    expect((JSON.parse(whole.stdout) as { experiments: object[] }).experiments).toHaveLength(4);
    const again = await place.reprise(['stats', 'killed', '--json']);
    expect(JSON.parse(again.stdout)).toHaveLength(4);
  });

  it('pays once for a call that its cells share', async () => {
    const { calls } = provider.statistics;
    const command = await sweepOf('shared', '--set', 'runtime.concurrency=2,4,5');
    const { code, stdout, stderr } = await place.reprise(command);
    expect(code, stderr).toBe(0);
    expect(provider.statistics.calls - calls).toBe(SAMPLES);
    const metrics = metricsOf(stdout);
    expect(metrics).toMatchObject({ lm_calls: 3 * SAMPLES, lm_calls_cached: 2 * SAMPLES });
    expect(metrics.cells.map(({ lm_calls }) => lm_calls)).toEqual([SAMPLES, SAMPLES, SAMPLES]);
  });

  it('has one limit for all cells, ends at it, and continues with a higher one', async () => {
    const { calls } = provider.statistics;
    const command = await sweepOf('limited', ...TEMPERATURES, '--repeats', '2');
    const limited = await place.reprise([...command, '--set', 'limits.max_lm_calls=25']);
    expect(limited.code).toBe(3);
    expect(metricsOf(limited.stdout)).toMatchObject({ status: 'limit_reached', lm_calls: 25 });
    expect(provider.statistics.calls - calls).toBe(25);
    const whole = await place.reprise(command);
    expect(whole.code, whole.stderr).toBe(0);
    expect(metricsOf(whole.stdout)).toMatchObject({ status: 'done', lm_calls: 4 * SAMPLES });
    expect(provider.statistics.calls - calls).toBe(4 * SAMPLES);
  });

  it('pauses with its cells, and continues with them', async () => {
    const command = await sweepOf('paused', ...TEMPERATURES);
    const send = provider.hold();
    const { calls } = provider.statistics;
    const running = place.start([...command, '--set', 'runtime.concurrency=1']);
    await until('both cells ask', () => provider.statistics.calls >= calls + 2);
    expect((await place.reprise(['pause', 'paused'])).code).toBe(0);
    send();
    await sleep(1500);
    expect(provider.statistics.calls).toBe(calls + 2);
    expect((await place.reprise(['status', 'paused'])).stdout).toContain('paused');
    expect((await place.reprise(['resume', 'paused'])).code).toBe(0);
    const { code, stdout } = await running.done;
    expect(code).toBe(0);
    expect(metricsOf(stdout)).toMatchObject({ status: 'done', lm_calls: 2 * SAMPLES });
    expect(provider.statistics.calls).toBe(calls + 2 * SAMPLES);
  });

  it('has cells whose errors are asked again by themselves', async () => {
    const isRefused = ({ lastUserText, body }: { lastUserText: string; body: { temperature?: number } }) =>
      body.temperature === 1 && /is 3 \+/.test(lastUserText);
    provider.intercept = (asked) => (isRefused(asked) ? { kind: 'status', status: 400 } : undefined);
    const { stdout } = await place.reprise(await sweepOf('refused', ...TEMPERATURES));
    const [, warm] = metricsOf(stdout).cells;
    expect(warm).toMatchObject({ status: 'done', errors: 1 });
    provider.intercept = undefined;
    const { calls } = provider.statistics;
    const retried = await place.reprise(['retry', `refused/repeat-1/${warm?.name}`]);
    expect(retried.code, retried.stderr).toBe(0);
    expect(provider.statistics.calls).toBe(calls + 1);
    expect(await place.metrics(`refused/repeat-1/${warm?.name}`)).toMatchObject({
      errors: 0,
      samples: SAMPLES,
    });
  });

  it.each([
    ['evaluations', 'configs/agent_eval_flight.yaml', 'seed=1,2', { id: 'mean_reward', value: 0.34375 }],
    ['kinds', 'examples/best-of-n/experiment.yaml', 'settings.n=2,4', { label: 'correct' }],
  ])('has cells of any kind: %s', async (name, config, setting, figure) => {
    for (const folder of ['configs', 'examples']) await cp(folder, place.path(folder), { recursive: true });
    const { code, stdout, stderr } = await place.reprise([
      ...['sweep', config, '--set', setting, '--name', name, '--json', '--results-dir', 'results'],
    ]);
    expect(code, stderr).toBe(0);
    const { cells, status } = metricsOf(stdout);
    expect(status).toBe('done');
    expect(cells.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(cells[1]?.figures).toContainEqual(expect.objectContaining(figure));
  });

  it('stops with its cells, and a failing cell fails alone', async () => {
    const command = await sweepOf('stopped', ...TEMPERATURES);
    const send = provider.hold();
    const { calls } = provider.statistics;
    const running = place.start([...command, '--set', 'runtime.concurrency=1']);
    await until('both cells ask', () => provider.statistics.calls >= calls + 2);
    const stopped = await place.reprise(['stop', 'stopped']);
    expect(stopped.code, stopped.stderr).toBe(0);
    send();
    const { code, stdout } = await running.done;
    expect(code).toBe(3);
    const metrics = metricsOf(stdout);
    expect(metrics.status).toBe('stopped');
    expect(metrics.cells.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(provider.statistics.calls).toBe(calls + 2);

    const half = await sweepOf('half', '--model', 'openai/fake', '--model', 'openai/gone');
    provider.intercept = ({ body }) =>
      (body as { model?: string }).model === 'gone' ? { kind: 'status', status: 404 } : undefined;
    const { code: incomplete, stdout: cells } = await place.reprise(half);
    expect(incomplete).toBe(3);
    expect(metricsOf(cells).cells.map(({ status }) => status)).toEqual(['done', 'failed']);
    expect(metricsOf(cells)).toMatchObject({ status: 'incomplete', errors_by_type: { cell_failed: 1 } });
  });
});
