import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 6;
const EPOCHS = 3;
const CONCURRENCY = 4;

let place: Workplace;
let provider: FakeProvider;

beforeAll(async () => {
  place = await Workplace.make();
  provider = await startFakeProvider('openai', { latencyMs: 200 });
});
afterAll(async () => {
  await provider.close();
  await place.dispose();
});

const config = (name: string, lm: object = {}) =>
  sumsConfig(provider.baseUrl, SAMPLES, {
    name,
    runtime: { epochs: EPOCHS, concurrency: CONCURRENCY },
    metrics: { reducers: ['mean', 'mode', 'pass_at_2'] },
    lm,
  });

it('the epochs of a run that is killed are asked once each, and an error of one alone again', async () => {
  // The first sample has no answer in one of its epochs.
  let empty = 1;
  provider.intercept = ({ lastUserText }) => {
    if (empty === 0 || !/is 0 \+/.test(lastUserText)) return undefined;
    empty -= 1;
    return { kind: 'reply', text: '' };
  };
  await place.write('sums.yaml', config('sums'));
  const running = place.start(['run', 'sums.yaml']);
  await untilIn(running, 'the run is in the middle', () => provider.statistics.calls >= 9);
  await place.kill(running);
  const { code, stdout, stderr } = await place.reprise(['run', 'sums.yaml']);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/│ samples +│ 18 of 18, 18 episodes, 3 epochs of each/);
  const before = await place.metrics('sums');
  expect(before).toMatchObject({ epochs: EPOCHS, samples: 18, errors: 1, correct: 17 });
  expect(before.reducers?.mean).toMatchObject({ samples: SAMPLES, mean: 1 });
  expect(provider.statistics.repeated).toBeLessThanOrEqual(CONCURRENCY);

  const asked = provider.statistics.calls;
  expect((await place.reprise(['retry', 'sums'])).code).toBe(0);
  expect(provider.statistics.calls - asked).toBe(1);
  const metrics = await place.metrics('sums');
  expect(metrics).toMatchObject({ samples: 18, errors: 0, correct: 18, accuracy_stderr: 0 });
  const rows = await place.rows('sums');
  expect(rows.map(({ id, epoch, trial }) => `${id} ${epoch} ${trial}`)).toEqual(
    Array.from({ length: SAMPLES }, (_, sample) => `sum-${sample}`).flatMap((id) =>
      [0, 1, 2].map((epoch) => `${id} ${epoch} ${epoch}`),
    ),
  );
  // No two epochs share a reply.
  expect(new Set(rows.map(({ id, trial }) => `${id} ${trial}`)).size).toBe(18);
  const kept = new Map(
    (await place.calls('sums')).map((call) => [`${call.sample_id} ${call.trial}`, call.at]),
  );
  expect(kept.size).toBe(18);

  const recording = place.path('results/sums/calls.jsonl');
  await place.write('again.yaml', { ...config('again'), lm: { provider: 'replay', recording } });
  expect((await place.reprise(['run', 'again.yaml'])).code).toBe(0);
  const again = await place.metrics('again');
  expect(again).toMatchObject({ correct: 18, accuracy: 1, reducers: metrics.reducers });
  const score = await place.reprise(['score', 'sums', '--reducer', 'at_least_3', '--json']);
  expect(JSON.parse(score.stdout).metrics.reducers).toMatchObject({ at_least_3: { samples: 6, mean: 1 } });
}, 180_000);
