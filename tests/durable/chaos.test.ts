import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import {
  additions,
  cutOffIn,
  type Outcome,
  type Running,
  timeless,
  timelessMetrics,
  until,
  Workplace,
} from '../support/workplace.js';

const SAMPLES = 60;
const TRIALS = 3;
const CONCURRENCY = 6;
/** Every kill costs the ten seconds after which a dead worker is missed, so most are the night's. */
const KILLS = IS_NIGHT ? 10 : 3;
/** Milliseconds: long enough for calls to be in flight whenever something dies. */
const LATENCY = 120;

/** Wrong in trials 1 and 2 for two of three sums, told by the reflections that the prompt holds. */
function answer(text: string, reflections: number): string {
  const [left = 0, right = 0] = (/What is (\d+) \+ (\d+)/.exec(text) ?? []).slice(1).map(Number);
  return String(left + right + (reflections < left % 3 ? 1 : 0));
}

function reflexionConfig(baseUrl: string, name: string, grain: string): object {
  return {
    name,
    runtime: {
      num_trials: TRIALS,
      early_stop_on_success: true,
      memory_scope: 'sample',
      concurrency: CONCURRENCY,
      grain,
    },
    dataset: {
      items: additions(SAMPLES),
      task_type: 'numeric',
      input_field: 'question',
      target_field: 'answer',
      id_field: 'id',
    },
    lm: { model: 'openai/fake', base_url: baseUrl },
    memory: { _type: 'history_list' },
    agent: {
      type: 'reflexion_agent',
      history_k: 0,
      reflection_config: { strategy: 'reflexion', max_reflections: 3 },
    },
    output: { results_dir: 'results' },
    seed: 3,
  };
}

describe.each(['call', 'unit'])('kill -9, again and again, at grain %s', (grain) => {
  /** Lanes that may have begun when a worker dies: a bundle has some in advance. */
  const begunAtMost = grain === 'call' ? CONCURRENCY : 3 * CONCURRENCY;
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      latencyMs: LATENCY,
      reply: ({ body }) => {
        const texts = (body.messages as { content: string }[]).map(({ content }) => content);
        const whole = texts.join('\n');
        const asksForReflection = !/What is \d+ \+ \d+\?\s*$/.test(texts.at(-1) ?? '');
        const reflections = whole.split('Reflection number').length - 1;
        return asksForReflection ? `Reflection number ${reflections + 1}.` : answer(whole, reflections);
      },
    });
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  it(`loses nothing and repeats no finished call: ${SAMPLES} samples × ${TRIALS} trials`, async () => {
    await place.write('calm.yaml', reflexionConfig(provider.baseUrl, 'calm', grain));
    expect((await place.reprise(['run', 'calm.yaml'])).code).toBe(0);
    const calm = await place.metrics('calm');
    expect(calm).toMatchObject({ samples: SAMPLES, correct: SAMPLES, lm_calls_repeated: 0 });
    expect(calm.success_by_trial).toEqual([1 / 3, 2 / 3, 1]);
    const { calls: callsInCalm } = provider.statistics;
    expect(callsInCalm).toBe(calm.lm_calls);

    await place.write('chaos.yaml', reflexionConfig(provider.baseUrl, 'chaos', grain));
    let running: Running = place.start(['run', 'chaos.yaml']);
    const started = provider.statistics.calls;
    const share = calm.lm_calls / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      // At a point of the run that no clock decides, with a random moment on top.
      const target = started + Math.floor(share * (kill - 1 + Math.random()));
      await until(
        `call ${target} arrives`,
        () => provider.statistics.calls >= target && provider.statistics.inFlight > 0,
      );
      if (kill % 3 === 0) {
        // The server: the command starts it again on its database.
        await place.killServer();
      } else {
        await place.kill(running);
        running = place.start(['run', 'chaos.yaml']);
      }
    }
    const { code, stderr }: Outcome = await running.done;
    expect(stderr).not.toMatch(/nondetermin/i);
    expect(code).toBe(0);

    const chaos = await place.metrics('chaos');
    const named = (metrics: object) => ({ ...metrics, name: '', experiment: '' });
    expect(named(timelessMetrics(chaos))).toEqual(named(timelessMetrics(calm)));
    expect(timeless(await place.rows('chaos'))).toEqual(timeless(await place.rows('calm')));
    const inFlightAtMost = KILLS * CONCURRENCY;
    const asked = provider.statistics.calls - callsInCalm;
    // The provider finished a call and the worker died before it could write the reply down: only those.
    expect(provider.statistics.repeated).toBeLessThanOrEqual(inFlightAtMost);
    expect(asked - calm.lm_calls).toBeLessThanOrEqual(inFlightAtMost);
    // Every request beyond the first of a call is accounted for.
    expect(chaos.lm_calls_repeated).toBeLessThanOrEqual(asked - calm.lm_calls);
    expect(cutOffIn(chaos)).toBeLessThanOrEqual(KILLS * begunAtMost);
    expect(cutOffIn(chaos)).toBeGreaterThanOrEqual(asked - calm.lm_calls);
    const calls = await place.calls('chaos');
    const places = calls.map(
      ({ sample_id, trial, purpose, ordinal }) => `${sample_id} ${trial} ${purpose} ${ordinal}`,
    );
    expect(new Set(places).size).toBe(calm.lm_calls);
  }, 300_000);

  it('no call whose reply was written down is made again', async () => {
    // Every record lies in the folder before the kill: a second run of the process must not ask for any of them.
    const { calls } = provider.statistics;
    await place.write('late.yaml', reflexionConfig(provider.baseUrl, 'late', grain));
    const running = place.start(['run', 'late.yaml']);
    await until('a third is done', () => provider.statistics.calls >= calls + 60);
    // Calls that were sent before still get their reply; only those after it hang.
    let hanging = 0;
    provider.intercept = () => {
      hanging += 1;
      return { kind: 'hang', when: 'before_headers' };
    };
    await until('every lane hangs', () => hanging === CONCURRENCY);
    // What had been answered is written down by the time that the next calls of its lanes hang.
    await place.kill(running);
    provider.intercept = undefined;
    const { repeated } = provider.statistics;
    expect((await place.reprise(['run', 'late.yaml'])).code).toBe(0);
    expect(provider.statistics.repeated).toBe(repeated);
    const metrics = await place.metrics('late');
    expect(metrics.correct).toBe(SAMPLES);
    expect(cutOffIn(metrics)).toBeGreaterThanOrEqual(CONCURRENCY);
    expect(cutOffIn(metrics)).toBeLessThanOrEqual(begunAtMost);
  });
});
