import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnKindMetrics, OwnKindProgress, OwnKindRow } from '../../src/kinds/own-kind/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { readLines, until, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 12;
const N = 3;
/** Three candidates that differ, and the judge. */
const CALLS = SAMPLES * (N + 1);
const CONCURRENCY = 2;
/** Samples at work, each with all of its candidates. */
const IN_FLIGHT = CONCURRENCY * N;

const KIND = `
import { defineExperimentKind, z } from 'reprise/kind';

export default defineExperimentKind({
  name: 'draw and pick',
  models: ['writer', 'judge'],
  settings: z.strictObject({ n: z.int().min(1).default(${N}) }),
  async work({ sample, settings: { n }, ask, grade, random }) {
    if (sample.question.includes('boom')) throw new Error('the fuse is lit');
    if (sample.question.includes('clock')) await ask('writer', String(performance.now()));
    const asked = Array.from({ length: n }, () => Math.floor(random() * 1e9) + ' ' + sample.question);
    const written = await Promise.all(asked.map((question) => ask('writer', question)));
    const { text } = await ask('judge', 'Pick: ' + written.map((reply) => reply.text).join(', '));
    const { correct } = await grade(text);
    return { answer: text, scores: { correct, length: text.length } };
  },
  figures: (rows) => ({ rows: rows.length }),
});
`;

describe('a kind of one’s own, on a real server', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText, number }) => {
        const sum = /(\d+) \+ (\d+)/.exec(lastUserText);
        if (sum !== null) return `${Number(sum[1]) + Number(sum[2])} #${number}`;
        return /\d+/.exec(lastUserText)?.[0] ?? 'nothing';
      },
    });
    await place.write('kind.ts', KIND);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const lm = () => ({ model: 'openai/fake', base_url: provider.baseUrl });

  async function experiment(name: string, more: Record<string, unknown> = {}): Promise<string[]> {
    const items = Array.from({ length: SAMPLES }, (_, index) => ({
      question: `What is ${index} + 7?`,
      answer: index === 3 ? 'wrong' : String(index + 7),
    }));
    await place.write(`${name}.yaml`, {
      kind: 'kind.ts',
      models: { writer: lm(), judge: lm() },
      dataset: { items },
      concurrency: CONCURRENCY,
      ...more,
    });
    return ['own-kind', `${name}.yaml`, '--json'];
  }

  const metricsOf = (stdout: string) => (JSON.parse(stdout) as { metrics: OwnKindMetrics }).metrics;
  const rowsOf = (name: string) => readLines<OwnKindRow>(place.path('results', name, 'results.jsonl'));

  const WHOLE = {
    kind: 'own-kind',
    kind_name: 'draw and pick',
    status: 'done',
    samples: SAMPLES,
    samples_planned: SAMPLES,
    errors: 0,
    lm_calls: CALLS,
    scores: { correct: { samples: SAMPLES, mean: (SAMPLES - 1) / SAMPLES, is_share: true } },
    figures: { rows: SAMPLES },
  };

  it('survives the death of its command, and asks nothing again that was answered', async () => {
    const command = await experiment('killed');
    const { code, stdout, stderr } = await place.killedAfter([5, 20], command, provider);
    expect(code, stderr).toBe(0);
    const metrics = metricsOf(stdout);
    expect(metrics).toMatchObject(WHOLE);
    expect(metrics.scores.correct?.interval?.[0]).toBeLessThan(metrics.scores.correct?.mean ?? 0);
    // What was in flight when the command was killed may have been answered to nobody.
    expect(provider.statistics.repeated).toBeLessThanOrEqual(2 * IN_FLIGHT);
    const rows = await rowsOf('killed');
    expect(rows.map(({ id, error }) => [id, error])).toEqual(
      Array.from({ length: SAMPLES }, (_, index) => [String(index), null]),
    );
    expect(rows[3]).toMatchObject({
      answer: '10',
      target: 'wrong',
      scores: { correct: false },
      lm_calls: N + 1,
    });
    const calls = await place.calls('killed');
    expect(calls).toHaveLength(CALLS);
    expect(calls.filter(({ purpose }) => purpose === 'judge')).toHaveLength(SAMPLES);
    expect(calls.filter(({ role }) => role === 'writer')).toHaveLength(N * SAMPLES);
    expect((await place.metrics('killed')).by_role).toMatchObject({
      writer: { lm_calls: N * SAMPLES },
      judge: { lm_calls: SAMPLES },
    });
  });

  it('ends at a limit, and continues with a higher one', async () => {
    const command = await experiment('limited', { grain: 'unit' });
    const { calls } = provider.statistics;
    const first = await place.reprise([...command, '--set', 'limits.max_lm_calls=17']);
    expect(first.code).toBe(3);
    expect(metricsOf(first.stdout)).toMatchObject({ status: 'limit_reached', lm_calls: 17, errors: 0 });
    expect(provider.statistics.calls).toBe(calls + 17);
    const second = await place.reprise(command);
    expect(second.code, second.stderr).toBe(0);
    expect(metricsOf(second.stdout)).toMatchObject(WHOLE);
    expect(provider.statistics.calls).toBe(calls + CALLS);
  });

  it('is started by the Temporal CLI, pauses, continues, stops, and is shown meanwhile', async () => {
    await experiment('controlled');
    await place.dev({ REPRISE_ALLOWED_SERVERS: provider.baseUrl });
    const send = provider.hold();
    const { calls } = provider.statistics;
    const started = await place.startWorkflow(
      'own-kind',
      'controlled',
      '--input',
      '{"config_path": "controlled.yaml"}',
    );
    expect(started.code, started.stderr).toBe(0);
    await until('calls arrive', () => provider.statistics.calls === calls + IN_FLIGHT);
    expect((await place.reprise(['pause', 'controlled'])).code).toBe(0);
    const handle = (await place.client()).workflow.getHandle('controlled');
    expect(await handle.query<OwnKindProgress>('progress')).toMatchObject({
      phase: 'paused',
      kind_name: 'draw and pick',
      models: { writer: 'openai/fake', judge: 'openai/fake' },
      units: { noun: 'sample', planned: SAMPLES, ended: 0, running: CONCURRENCY },
    });
    send();
    const shown = await place.reprise(['status', 'controlled']);
    expect(shown.stdout).toMatch(/status +│ paused[\s\S]*kind +│ draw and pick[\s\S]*samples +│ 0 of 12/);
    expect(provider.statistics.calls).toBe(calls + IN_FLIGHT);
    provider.latencyMs = 2000;
    expect((await place.reprise(['resume', 'controlled'])).code).toBe(0);
    expect((await place.reprise(['stop', 'controlled'])).stdout).toContain('samples in flight');
    const { metrics } = (await handle.result()) as { metrics: OwnKindMetrics };
    expect(metrics).toMatchObject({ status: 'stopped', errors: 0 });
    expect(metrics.samples).toBeLessThan(SAMPLES);
    provider.latencyMs = 0;
    const again = await place.reprise(['own-kind', 'controlled.yaml', '--json']);
    expect(metricsOf(again.stdout)).toMatchObject(WHOLE);
  });

  it('makes an error of what its code throws, with the place, and continues where that is mended', async () => {
    const items = [
      { question: 'What is 1 + 1?', answer: '2' },
      { question: 'boom', answer: '0' },
      { question: 'What time has the clock, 1 + 2?', answer: '3' },
    ];
    const command = await experiment('broken', { dataset: { items } });
    const first = await place.reprise(command);
    expect(first.code).toBe(0);
    expect(metricsOf(first.stdout)).toMatchObject({
      status: 'done',
      samples: 1,
      errors: 2,
      errors_by_type: { KindError: 2 },
      scores: { correct: { mean: 1, samples: 1 } },
    });
    const [, boom, clock] = await rowsOf('broken');
    expect(boom?.error?.message).toMatch(/^the fuse is lit \(kind\.ts:9\)$/);
    expect(clock?.error?.message).toMatch(/asks something else each time/);
    // Two samples that were asked once.
    expect(metricsOf(first.stdout).lm_calls).toBeLessThanOrEqual(N + 1 + 2);

    await place.write('kind.ts', KIND.replace("'boom'", "'bang'").replace("'clock'", "'watch'"));
    const again = await place.reprise(['retry', 'broken', '--json']);
    expect(again.code, again.stderr).toBe(0);
    const metrics = metricsOf(again.stdout);
    expect(metrics).toMatchObject({ status: 'done', samples: 3, errors: 0 });
    expect(metrics.code_changes.map(({ modules }) => modules)).toEqual([
      [expect.stringContaining('kind.ts')],
    ]);
    await place.write('kind.ts', KIND);
  });

  it('asks again, by the retry, where a provider failed', async () => {
    const command = await experiment('refused', {
      models: { writer: { ...lm(), max_attempts: 1 }, judge: lm() },
    });
    provider.next({ kind: 'status', status: 400, message: 'no' });
    const first = await place.reprise(command);
    const { errors, samples } = metricsOf(first.stdout);
    expect([errors, samples]).toEqual([1, SAMPLES - 1]);
    const again = await place.reprise(['retry', 'refused', '--json']);
    expect(metricsOf(again.stdout)).toMatchObject({ ...WHOLE, lm_calls: CALLS });
  });

  it.each([
    [
      { models: { writer: 'scripted/x.yaml' } },
      /models\.judge: is missing; draw and pick asks writer and judge/,
    ],
    [{ settings: { n: 0 } }, /settings\.n: /],
    [{ settings: { m: 1 } }, /settings.*m/],
    [{ kind: 'none.ts' }, /kind: .*none\.ts/],
    [{ kind: 'empty.ts' }, /kind: the default export of .*empty\.ts is no kind of experiment; make it with/],
    [{ dataset: { items: [{ question: 'x' }] } }, /dataset\.target_field/],
  ])('refuses %j before anything is asked', async (more, message) => {
    await place.write('empty.ts', 'export const nothing = 1;\n');
    await place.write('x.yaml', '- reply: x\n');
    const command = await experiment('refuses', more);
    const { calls } = provider.statistics;
    const { code, stderr } = await place.reprise(command);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(provider.statistics.calls).toBe(calls);
  });

  it('is told from configs of other kinds', async () => {
    await experiment('other');
    const running = place.start(['run', 'other.yaml']);
    await untilIn(running, 'it says which command', () =>
      running.output().includes('start it with: reprise own-kind'),
    ).catch(() => undefined);
    expect((await running.done).code).toBe(2);
    expect(running.output()).toContain('this is the config of an experiment of a kind of one’s own');
  });
});
