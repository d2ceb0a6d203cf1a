import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askingEvolution, writeSumsToAsk } from '../support/asking-evolution.js';
import { replyToAnyKind } from '../support/every-kind.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { writeJudged, writeRubric } from '../support/judged-steps.js';
import { seatsConfig, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

const RATE = 10;
/** Milliseconds over which starts are counted, so that a request that is late by some makes no difference. */
const WINDOW = 2000;

/** The most of these moments that lie within a window. */
function mostWithin(moments: readonly number[]): number {
  return Math.max(
    ...moments.map((from) => moments.filter((moment) => moment >= from && moment < from + WINDOW).length),
  );
}

describe('a rate, with three workers', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let arrivals: { model: string; at: number }[] = [];

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { reply: replyToAnyKind });
    provider.intercept = ({ model }) => {
      arrivals.push({ model, at: Date.now() });
      return undefined;
    };
    await writeSumsToAsk(place);
    await writeSeats(place, 8, 'seats');
    await writeRubric(place);
    await place.dev();
    await place.worker();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const rated = { requests_per_second: RATE };

  it.each<[string, string, () => Promise<string[]>]>([
    [
      'run',
      'fake',
      async () => {
        const config = sumsConfig(provider.baseUrl, 40, {
          name: 'sums',
          runtime: { concurrency: 40 },
          lm: rated,
        });
        await place.write('sums.yaml', config);
        return ['run', 'sums.yaml'];
      },
    ],
    [
      'agent-eval',
      'clerk',
      async () => {
        const lm = (model: string) => ({ model: `openai/${model}`, base_url: provider.baseUrl });
        const models = { agent: { ...lm('clerk'), ...rated }, user: lm('customer') };
        const more = { name: 'booked', concurrency: 16, models };
        await place.write('booked.yaml', seatsConfig(provider.baseUrl, 'seats/task.jsonl', more));
        return ['agent-eval', 'booked.yaml'];
      },
    ],
    [
      'judge',
      'judge',
      () =>
        writeJudged(place, 'judged', {
          episodes: 40,
          more: [
            ...['--model', 'openai/judge', '--set', `lm.base_url=${provider.baseUrl}`],
            ...['--set', `lm.requests_per_second=${RATE}`, '--set', 'concurrency=40'],
          ],
        }),
    ],
    [
      'evolve, by its scaffolds',
      'fake',
      async () => {
        const config = askingEvolution(provider.baseUrl, ['writer', 'fake'], { name: 'asking' }) as {
          models: { executor: object };
        };
        Object.assign(config.models.executor, rated);
        await place.write('asking.yaml', config);
        return ['evolve', 'asking.yaml'];
      },
    ],
  ])('is held together by those of %s', async (_kind, model, command) => {
    const words = await command();
    arrivals = [];
    const { code, stdout, stderr } = await place.reprise(words);
    expect(code, stdout + stderr).toBe(0);
    const moments = arrivals.filter((one) => one.model === model).map(({ at }) => at);
    expect(moments.length).toBeGreaterThan(3 * RATE);
    // Each worker by itself would send three times as many.
    expect(mostWithin(moments)).toBeLessThanOrEqual(1.3 * RATE * (WINDOW / 1000));
  });
});
