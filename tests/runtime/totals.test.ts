import { expect, test } from 'vitest';
import type { EpisodeRecord } from '../../src/contracts/results.js';
import type { RunPlan } from '../../src/contracts/run.js';
import { dealConcurrency, reportInterval, shardCount } from '../../src/runtime/deal.js';
import {
  accuracyOf,
  addTotals,
  bookCall,
  bookEpisode,
  bookUnkept,
  noTotals,
  type Standing,
  spendingOfTotals,
  standingOf,
} from '../../src/runtime/totals.js';

test.each<[string, Standing[], Partial<ReturnType<typeof noTotals>>]>([
  ['a success', ['correct'], { samples: 1, episodes: 1, correct: 1, errors: 0 }],
  ['a later success', ['wrong', 'wrong', 'correct'], { samples: 1, episodes: 3, correct: 1, errors: 0 }],
  ['a success that is lost again', ['correct', 'wrong'], { samples: 1, episodes: 2, correct: 0, errors: 0 }],
  ['an error at last', ['correct', 'error'], { samples: 1, episodes: 2, correct: 0, errors: 1 }],
  ['an error that is mended', ['error', 'correct'], { samples: 1, episodes: 2, correct: 1, errors: 0 }],
])('of a sample the newest trial counts: %s', (_name, standings, expected) => {
  const totals = noTotals();
  standings.forEach((standing, trial) => {
    bookEpisode(totals, standing, standings[trial - 1]);
  });
  expect(totals).toMatchObject(expected);
});

test.each<[Standing, Pick<EpisodeRecord, 'error' | 'steps'>]>([
  ['error', { error: { type: 'timeout', message: '' }, steps: [step(true)] }],
  ['wrong', { error: null, steps: [] }],
  ['wrong', { error: null, steps: [step(true), step(false)] }],
  ['correct', { error: null, steps: [step(false), step(true)] }],
])('an episode stands as %s by its error, then by its last step', (standing, episode) => {
  expect(standingOf(episode as EpisodeRecord)).toBe(standing);
});

function step(correct: boolean) {
  return { feedback: { correct } } as EpisodeRecord['steps'][number];
}

test('totals add up field by field; an unknown cost makes the sum unknown', () => {
  const part = { ...noTotals(), samples: 2, correct: 1, input_tokens: 10, cost_usd: 0.5 };
  expect(addTotals([part, part])).toMatchObject({ samples: 4, correct: 2, input_tokens: 20, cost_usd: 1 });
  expect(addTotals([part, { ...part, cost_usd: null }, part]).cost_usd).toBeNull();
  expect(addTotals([])).toEqual(noTotals());
});

test.each([
  [{ samples: 0 }, null],
  [{ samples: 3, errors: 3 }, null],
  [{ samples: 4, errors: 1, correct: 3 }, 1],
  [{ samples: 5, errors: 1, correct: 1 }, 0.25],
])('the accuracy of %j is %s: errors are no wrong answers', (totals, accuracy) => {
  expect(accuracyOf({ ...noTotals(), ...totals })).toBe(accuracy);
});

test.each<[string, Pick<RunPlan, 'memory_scope' | 'concurrency' | 'slots'>, number]>([
  ['one lane is never split', { memory_scope: 'run', concurrency: 1000, slots: 1000 }, 1],
  ['few lanes stay together', { memory_scope: 'sample', concurrency: 10, slots: 1000 }, 1],
  ['many are dealt', { memory_scope: 'sample', concurrency: 60, slots: 1000 }, 3],
  ['to a bounded number', { memory_scope: 'sample', concurrency: 10_000, slots: 20_000 }, 4],
  ['and not to more than there are samples', { memory_scope: 'sample', concurrency: 100, slots: 2 }, 2],
  ['nothing to do', { memory_scope: 'sample', concurrency: 100, slots: 0 }, 1],
])('shards: %s', (_name, plan, shards) => {
  expect(shardCount(plan)).toBe(shards);
});

test.each<[number, number[], [number, number][]]>([
  [
    10,
    [0, 1, 2],
    [
      [0, 4],
      [1, 3],
      [2, 3],
    ],
  ],
  [
    2,
    [0, 1, 2],
    [
      [0, 1],
      [1, 1],
      [2, 0],
    ],
  ],
  [7, [3], [[3, 7]]],
  [7, [], []],
])('%i lanes are dealt to the shards %j as %j', (concurrency, working, dealt) => {
  expect([...dealConcurrency(concurrency, working)]).toEqual(dealt);
});

test('reports grow rarer with a run’s age, within bounds', () => {
  const hour = 3_600_000;
  expect([0, 30_000, hour, 1000 * hour].map(reportInterval)).toEqual([1000, 1000, 60_000, 300_000]);
});

test('what stands beside the replies is added up, and is nothing where there was nothing', () => {
  const unkept = { requests: 1, usage: { input_tokens: 2, output_tokens: 3 }, cost_usd: 0.5 };
  const totals = noTotals();
  bookCall(totals, { usage: { input_tokens: 10, output_tokens: 1 }, cost_usd: 1 });
  expect(addTotals([totals, noTotals()])).toEqual({
    ...noTotals(),
    lm_calls: 1,
    input_tokens: 10,
    output_tokens: 1,
    cost_usd: 1,
  });
  const other = noTotals();
  bookCall(other, { usage_estimated: true, cost_usd: null, unkept });
  bookUnkept(other, unkept);
  bookUnkept(other, null);
  const sum = addTotals([totals, other]);
  expect(sum).toMatchObject({
    lm_calls: 2,
    cost_usd: null,
    lm_calls_estimated: 1,
    unkept: { requests: 2, usage: { input_tokens: 4, output_tokens: 6 }, cost_usd: 1 },
  });
  expect(spendingOfTotals(sum)).toEqual({ lm_calls: 4, unkept: 2, tokens: 21, cost_usd: null });
  expect(spendingOfTotals(totals)).toEqual({ lm_calls: 1, tokens: 11, cost_usd: 1 });
});
