import { readdir, readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/contracts/experiment.js';
import type { AgentEvalMetrics } from '../../src/kinds/agent-eval/results.js';
import type { JudgeMetrics, JudgeResult } from '../../src/kinds/judge/contracts.js';
import { askingEvolution, askingProgram, writeSumsToAsk } from '../support/asking-evolution.js';
import { evolveMetricsOf, experimentOf } from '../support/evolutions.js';
import type { Behaviour, RecordedRequest } from '../support/fake-providers/behaviours.js';
import { addNumbers, type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { writeJudged, writeRubric } from '../support/judged-steps.js';
import { agentEvalIn, seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { cutOffIn, sumsConfig, until, Workplace } from '../support/workplace.js';

const LANES = 8;
/** Tokens of each reply, half of them input, and what they cost at the prices below. */
const TOKENS = 200;
const DOLLARS = 0.001;

/** An answer, which a server that bills does not give for nothing, without a reply in it. */
const noChoices = (usage?: object): Behaviour => ({
  kind: 'raw',
  contentType: 'application/json',
  body: JSON.stringify({ choices: [], ...(usage === undefined ? {} : { usage }) }),
});
const BILLED = noChoices({ prompt_tokens: TOKENS / 2, completion_tokens: TOKENS / 2 });

/** Of every so many requests the first. */
const every =
  (count: number, behaviour: Behaviour) =>
  ({ number }: RecordedRequest): Behaviour | undefined =>
    number % count === 0 ? behaviour : undefined;

type Sums = Record<string, unknown> & { grain?: string };

describe('a limit counts every request that is sent', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    place.environment.SEATS_LOG = place.path('tools.log');
    provider = await startFakeProvider('openai', {
      reply: (request) => {
        if (request.model === 'writer') return { text: askingProgram(request.number) };
        if (request.model === 'judge') return { text: 'Four.' };
        if (request.model !== 'fake') return seatsReply(request);
        return { text: addNumbers(request), usage: { input: TOKENS / 2, output: TOKENS / 2 } };
      },
    });
    const { host } = new URL(provider.baseUrl);
    const prices = { servers: { [host]: { fake: { input: 5, output: 5 } } } };
    place.environment.REPRISE_PRICES = await place.write('prices.json', JSON.stringify(prices));
    await place.dev();
  });

  afterEach(() => {
    provider.intercept = undefined;
    provider.latencyMs = 0;
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const writeSums = (name: string, limits: Partial<Limits>, { grain = 'auto', ...more }: Sums = {}) =>
    place.write(
      `${name}.yaml`,
      sumsConfig(provider.baseUrl, 200, {
        name,
        limits,
        ...more,
        runtime: { concurrency: LANES, grain },
        lm: { max_attempts: 3, max_output_tokens: 100 },
      }),
    );

  /** Runs sums with a limit; answers with what was sent and what is said of it. */
  async function sums(name: string, limits: Partial<Limits>) {
    const { calls } = provider.statistics;
    await writeSums(name, limits);
    const { code, stdout, stderr } = await place.reprise(['run', `${name}.yaml`]);
    expect(code, stderr).toBe(3);
    const metrics = await place.metrics(name);
    expect(metrics.status).toBe('limit_reached');
    return { sent: provider.statistics.calls - calls, metrics, stdout };
  }

  it('also those that are answered with no reply: the run ends, says so, and continues with what is left', async () => {
    provider.intercept = () => noChoices();
    const { sent, metrics, stdout } = await sums('nothing', { max_lm_calls: 50 });
    expect(sent).toBe(50);
    expect(metrics).toMatchObject({ lm_calls: 0, cost_usd: 0, unrecorded: { requests: 50 } });
    expect(metrics.status_message).toBe(
      'limits.max_lm_calls: 50 of 50 calls are made, 50 of them for a reply that is not kept',
    );
    // What the provider does not say is the text of the request, and all that the model may say.
    const { usage, cost_usd } = metrics.unrecorded ?? { usage: { input_tokens: 0, output_tokens: 0 } };
    expect(usage.output_tokens).toBe(50 * 100);
    expect(usage.input_tokens).toBeGreaterThan(50 * 5);
    expect(cost_usd).toBeCloseTo(((usage.input_tokens + usage.output_tokens) * 5) / 1e6);
    const shown = `50, at most ${usage.input_tokens} tokens in, 5000 out and $`;
    expect(stdout).toContain(shown);
    const details = await (await place.client()).workflow
      .getHandle('nothing')
      .query<string>('__temporal_workflow_metadata');
    expect(JSON.stringify(details)).toContain(shown);
    const report = await readFile(place.path('results', 'nothing', 'report.html'), 'utf8');
    expect(report).toContain('Replies not kept');

    provider.intercept = undefined;
    const again = await place.reprise(['run', 'nothing.yaml', '--set', 'limits.max_lm_calls=60']);
    expect(again.code).toBe(3);
    expect(provider.statistics.calls).toBe(60);
    expect(await place.metrics('nothing')).toMatchObject({ lm_calls: 10, unrecorded: { requests: 50 } });
  });

  it('with the tokens that are billed for no reply', async () => {
    provider.intercept = every(2, BILLED);
    const { sent, metrics } = await sums('billed', { max_tokens: 20 * TOKENS });
    expect(sent).toBeLessThanOrEqual(20 + LANES);
    const { lm_calls, unrecorded } = metrics;
    expect(lm_calls + (unrecorded?.requests ?? 0)).toBe(sent);
    expect(unrecorded?.usage).toEqual({
      input_tokens: ((unrecorded?.requests ?? 0) * TOKENS) / 2,
      output_tokens: ((unrecorded?.requests ?? 0) * TOKENS) / 2,
    });
  });

  it('by its text where the provider reports no usage, and marks it', async () => {
    let billed = 0;
    provider.intercept = (request) => {
      const text = addNumbers(request);
      // As a tokenizer would have it: rather less than a token to three bytes.
      billed += Math.ceil((JSON.stringify(request.body.messages).length + text.length) / 4);
      return { kind: 'reply', text, usage: null };
    };
    const { metrics, stdout } = await sums('unreported', { max_tokens: 1500 });
    expect(billed).toBeLessThanOrEqual(1500 + LANES * 40);
    const { lm_calls, lm_calls_estimated, usage } = metrics;
    expect(lm_calls_estimated).toBe(lm_calls);
    expect(usage.input_tokens + usage.output_tokens).toBeGreaterThanOrEqual(1500);
    expect(stdout).toContain(`, ${lm_calls} with estimated tokens`);
    for (const call of await place.calls('unreported')) expect(call.usage_estimated).toBe(true);
  });

  it('in dollars, whatever some replies say of their usage', async () => {
    const usages = [
      undefined,
      { prompt_tokens: -600_000, completion_tokens: 5 },
      { prompt_tokens: 0.5, completion_tokens: 1 },
    ];
    provider.intercept = (request) => {
      if (request.number % 4 === 3) return undefined;
      const choices = [{ message: { content: addNumbers(request) }, finish_reason: 'stop' }];
      const body = JSON.stringify({ choices, usage: usages[request.number % 4] });
      return { kind: 'raw', contentType: 'application/json', body };
    };
    const { sent, metrics } = await sums('dollars', { max_cost_usd: 10 * DOLLARS });
    // A quarter of the replies says what it costs.
    expect(Math.floor(sent / 4) * DOLLARS).toBeLessThanOrEqual((10 + LANES) * DOLLARS);
    expect(metrics.cost_usd).toBeGreaterThanOrEqual(10 * DOLLARS);
    for (const { usage, cost_usd } of await place.calls('dollars')) {
      expect(Number.isSafeInteger(usage?.input_tokens) && (usage?.input_tokens ?? 0) > 0).toBe(true);
      expect(cost_usd).toBeGreaterThan(0);
    }
  });

  it('and without one they stand beside the figures all the same', async () => {
    provider.intercept = every(3, BILLED);
    const { calls } = provider.statistics;
    const config = sumsConfig(provider.baseUrl, 24, { name: 'free', lm: { max_attempts: 6 } });
    await place.write('free.yaml', config);
    const { code, stderr } = await place.reprise(['run', 'free.yaml']);
    expect(code, stderr).toBe(0);
    const { lm_calls, usage, unrecorded } = await place.metrics('free');
    const requests = provider.statistics.calls - calls - 24;
    expect(requests).toBeGreaterThan(5);
    const half = (TOKENS / 2) * requests;
    expect({ lm_calls, input: usage.input_tokens }).toEqual({ lm_calls: 24, input: 12 * TOKENS });
    expect(unrecorded).toEqual({
      requests,
      usage: { input_tokens: half, output_tokens: half },
      cost_usd: expect.closeTo(requests * DOLLARS),
    });
    expect(await readdir(place.path('results', 'free'))).not.toContain('unrecorded');
  });

  it.each(['call', 'unit'])('and those that a crash has repeated, at grain %s', async (grain) => {
    provider.intercept = ({ number }) => (number > first + 4 && number <= first + 12 ? HANGING : undefined);
    const first = provider.statistics.calls;
    const name = `crashed-${grain}`;
    await writeSums(name, { max_lm_calls: 30 }, { grain });
    const queue = { REPRISE_SERVER_DIR: place.path('.crashing') };
    const running = place.start(['run', `${name}.yaml`], queue);
    await until('all lanes wait', () => provider.statistics.calls === first + 12);
    await place.kill(running);
    provider.intercept = undefined;
    const { code } = await place.reprise(['run', `${name}.yaml`], queue);
    expect(code).toBe(3);
    const metrics = await place.metrics(name);
    const { lm_calls, unrecorded } = metrics;
    const sent = provider.statistics.calls - first;
    // Who is asked again after a crash has no leave for that, and tells of it with the reply.
    expect(sent).toBeLessThanOrEqual(30 + LANES);
    // Of a bundle it is known which samples its worker had, not which of these had asked already.
    const most = grain === 'call' ? 8 : 8 + 3 * LANES;
    const { requests = 0, usage } = unrecorded ?? {};
    expect(requests).toBeGreaterThanOrEqual(8);
    expect(requests).toBeLessThanOrEqual(most);
    // Those that may have been sent count as well.
    expect(sent + requests - 8).toBeGreaterThanOrEqual(30);
    expect(lm_calls + requests).toBeGreaterThanOrEqual(sent);
    expect(cutOffIn(metrics)).toBe(requests);
    expect(usage?.input_tokens).toBe((requests * TOKENS) / 2);
  });

  it('of an evaluation', async () => {
    await writeSeats(place, 16, 'seats');
    const limits = { max_lm_calls: 40 };
    await place.write(
      'desk.yaml',
      seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name: 'desk', limits }),
    );
    provider.intercept = every(3, noChoices());
    const { calls } = provider.statistics;
    const { code, stderr } = await place.reprise(['agent-eval', 'desk.yaml']);
    expect(code, stderr).toBe(3);
    const { metrics } = await agentEvalIn(place.path('results', 'desk'));
    expectAll(metrics, provider.statistics.calls - calls, 40);
  });

  it('of a judgement', async () => {
    await writeRubric(place);
    const command = await writeJudged(place, 'judged', {
      episodes: 20,
      more: [
        ...['--model', 'openai/judge', '--json', '--set', `lm.base_url=${provider.baseUrl}`],
        ...['--set', 'limits.max_lm_calls=25'],
      ],
    });
    provider.intercept = every(2, BILLED);
    const { calls } = provider.statistics;
    const { code, stdout, stderr } = await place.reprise(command);
    expect(code, stderr).toBe(3);
    const metrics: JudgeMetrics = (JSON.parse(stdout) as JudgeResult).metrics;
    expectAll(metrics, provider.statistics.calls - calls, 25);
  });

  it('of an evolution, whose scaffolder and programs ask side by side', async () => {
    await writeSumsToAsk(place);
    const limits = { max_lm_calls: 30 };
    await place.write('evolve.yaml', askingEvolution(provider.baseUrl, ['writer', 'fake'], { limits }));
    provider.intercept = every(4, BILLED);
    const { calls } = provider.statistics;
    const { code, stderr } = await place.reprise(['evolve', 'evolve.yaml', '--experiment-name', 'grown']);
    expect(code, stderr).toBe(3);
    const metrics = await evolveMetricsOf(await experimentOf(place, 'grown'));
    expectAll(metrics, provider.statistics.calls - calls, 30);
  }, 180_000);
});

const HANGING: Behaviour = { kind: 'hang', when: 'before_headers' };

/** Every request is one of a reply that is kept, or of one that is not. */
function expectAll(
  { status, lm_calls, unrecorded }: Pick<AgentEvalMetrics, 'status' | 'lm_calls' | 'unrecorded'>,
  sent: number,
  limit: number,
): void {
  expect(status).toBe('limit_reached');
  expect(unrecorded?.requests).toBeGreaterThan(0);
  expect(lm_calls + (unrecorded?.requests ?? 0)).toBe(sent);
  expect(sent).toBeLessThanOrEqual(limit);
  // What is left may be too little for a program.
  expect(sent).toBeGreaterThan(limit - 4);
}
