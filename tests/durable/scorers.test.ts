import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 20;
const CONCURRENCY = 4;
const LATENCY = 150;

let place: Workplace;
let provider: FakeProvider;

beforeAll(async () => {
  place = await Workplace.make();
  provider = await startFakeProvider('openai', { latencyMs: LATENCY });
  provider.intercept = ({ lastUserText }) => {
    if (!lastUserText.includes('GRADE: ')) return undefined;
    return {
      kind: 'reply',
      text: /<question>\nWhat is \d*[13579] /.test(lastUserText) ? 'GRADE: I' : 'GRADE: C',
    };
  };
});
afterAll(async () => {
  await provider.close();
  await place.dispose();
});

const judge = () => ({ type: 'model_graded', lm: { model: 'openai/judge', base_url: provider.baseUrl } });
const config = (name: string, more: object = {}) =>
  sumsConfig(provider.baseUrl, SAMPLES, {
    name,
    runtime: { concurrency: CONCURRENCY, ...more },
    models: { judge: judge().lm },
    scorers: { includes: null, quality: { type: 'model_graded' } },
  });

const SCORES = {
  includes: { samples: SAMPLES, mean: 1, is_share: true },
  quality: { samples: SAMPLES, mean: 0.5, is_share: true },
};

describe('scorers, on a real server', () => {
  it.each(['call', 'unit'])('a model grades by %s, and a kill pays nothing twice', async (grain) => {
    const { calls } = provider.statistics;
    await place.write('graded.yaml', config(`graded-${grain}`, { grain }));
    const running = place.start(['run', 'graded.yaml']);
    await untilIn(running, 'the run is in the middle', () => provider.statistics.calls >= calls + SAMPLES);
    await place.kill(running);
    const { code, stdout, stderr } = await place.reprise(['run', 'graded.yaml']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/│ quality +│ 50\.0 %/);
    expect(stdout).toMatch(/│ judge +│ 20 +│/);
    const metrics = await place.metrics(`graded-${grain}`);
    expect(metrics).toMatchObject({ status: 'done', errors: 0, correct: SAMPLES, scores: SCORES });
    expect(metrics.calls_by_purpose).toMatchObject({
      act: { lm_calls: SAMPLES },
      grade: { lm_calls: SAMPLES },
    });
    expect(metrics.by_role).toMatchObject({ agent: { lm_calls: SAMPLES }, judge: { lm_calls: SAMPLES } });
    // What was in flight when the command was killed may have been answered to nobody.
    expect(provider.statistics.calls - calls - 2 * SAMPLES).toBeLessThanOrEqual(CONCURRENCY);
    const rows = await place.rows(`graded-${grain}`);
    expect(rows.map(({ scores }) => scores?.quality)).toEqual(rows.map((_, index) => index % 2 === 0));
  });

  it('counts what a judge is asked for a limit, and continues from there with a higher one', async () => {
    const { calls } = provider.statistics;
    await place.write('limited.yaml', config('limited'));
    const first = await place.reprise(['run', 'limited.yaml', '--set', 'limits.max_lm_calls=15']);
    expect(first.code).toBe(3);
    expect(provider.statistics.calls).toBe(calls + 15);
    expect((await place.reprise(['run', 'limited.yaml'])).code).toBe(0);
    expect(await place.metrics('limited')).toMatchObject({ lm_calls: 2 * SAMPLES, scores: SCORES });
    expect(provider.statistics.calls).toBe(calls + 2 * SAMPLES);
  });

  it('asks a judge again for rows that are errors, and no answer', async () => {
    await place.write('spoiled.yaml', {
      ...config('spoiled'),
      models: { judge: { ...judge().lm, max_attempts: 1 } },
    });
    const { intercept } = provider;
    provider.intercept = (request) =>
      request.lastUserText.includes('GRADE: ') && request.lastUserText.includes('What is 3 +')
        ? { kind: 'status', status: 500 }
        : intercept?.(request);
    expect((await place.reprise(['run', 'spoiled.yaml'])).code).toBe(3);
    provider.intercept = intercept;
    const before = await place.metrics('spoiled');
    expect(before).toMatchObject({ errors: 1, errors_by_type: { server: 1 }, status: 'incomplete' });
    const { calls } = provider.statistics;
    expect((await place.reprise(['retry', 'spoiled'])).code).toBe(0);
    expect(provider.statistics.calls).toBe(calls + 1);
    expect(await place.metrics('spoiled')).toMatchObject({ errors: 0, scores: { quality: SCORES.quality } });
  });

  it('grades a finished run by another scorer, durably, and shows the difference to what stood', async () => {
    await place.write('plain.yaml', sumsConfig(provider.baseUrl, SAMPLES, { name: 'plain' }));
    expect((await place.reprise(['run', 'plain.yaml'])).code).toBe(0);
    await place.write('judge.yaml', { scorers: { quality: judge() } });
    const { calls } = provider.statistics;
    const command = ['score', 'plain', '--scorer', 'judge.yaml', '--scorer', 'f1'];
    const slow = [...command, '--set', `runtime.concurrency=${CONCURRENCY}`];
    const running = place.start(slow);
    await untilIn(running, 'some are graded', () => provider.statistics.calls >= calls + SAMPLES / 2);
    await place.kill(running);
    const { code, stdout, stderr } = await place.reprise(slow);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/│ quality +│ correct +│ 20 +│ 100\.0 % +│ 50\.0 % +│ −?-?50\.0 points/);
    expect(provider.statistics.calls - calls - SAMPLES).toBeLessThanOrEqual(CONCURRENCY);
    const metrics = await place.metrics('plain-scored');
    expect(metrics).toMatchObject({ status: 'done', correct: SAMPLES, scores: { quality: SCORES.quality } });
    // The answers are those of the run, which stays as it was.
    const answers = async (name: string) => (await place.rows(name)).map(({ action }) => action);
    expect(await answers('plain-scored')).toEqual(await answers('plain'));
    expect(await place.metrics('plain')).not.toHaveProperty('scores');
    const again = await place.reprise([...command, '--name', 'typed', '--json']);
    const printed = JSON.parse(again.stdout);
    expect(printed.stood).toMatchObject([
      { score: 'quality', stood: 'correct', pairs: SAMPLES, worse: SAMPLES / 2, difference: -0.5 },
      { score: 'f1', stood: 'correct', pairs: SAMPLES },
    ]);
    const wrong = await place.reprise(['score', 'plain', '--scorer', 'no-such']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/--scorer no-such: is neither a YAML file with scorers nor one of /);
  });
});
