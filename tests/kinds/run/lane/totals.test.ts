import { expect, test } from 'vitest';
import type { EpisodeRecord } from '../../../../src/contracts/results.js';
import {
  accuracyOf,
  addTotals,
  bookCall,
  bookEpisode,
  bookUnrecorded,
  type EpisodeOutcome,
  episodeOutcome,
  noTotals,
  spendingOfTotals,
} from '../../../../src/kinds/run/lane/totals.js';

const LATE: EpisodeOutcome = { error: 'timeout' };

test.each<[string, EpisodeOutcome[], Partial<ReturnType<typeof noTotals>>]>([
  ['a success', ['correct'], { samples: 1, episodes: 1, correct: 1, errors: 0 }],
  ['a later success', ['wrong', 'wrong', 'correct'], { samples: 1, episodes: 3, correct: 1, errors: 0 }],
  ['a success that is lost again', ['correct', 'wrong'], { samples: 1, episodes: 2, correct: 0, errors: 0 }],
  [
    'an error at last',
    ['correct', LATE],
    { samples: 1, episodes: 2, correct: 0, errors: 1, errors_by_type: { timeout: 1 } },
  ],
  [
    'an error of another type',
    [LATE, { error: 'constructor' }],
    { samples: 1, episodes: 2, correct: 0, errors: 1, errors_by_type: { constructor: 1 } },
  ],
  ['an error that is mended', [LATE, 'correct'], { samples: 1, episodes: 2, correct: 1, errors: 0 }],
])('of a sample the newest trial counts: %s', (_name, standings, expected) => {
  const totals = noTotals();
  standings.forEach((outcome, trial) => {
    bookEpisode(totals, outcome, standings[trial - 1]);
  });
  expect(totals).toEqual({ ...noTotals(), ...expected });
});

test.each<[EpisodeOutcome, Pick<EpisodeRecord, 'error' | 'steps'>]>([
  [LATE, { error: { type: 'timeout', message: '' }, steps: [step(true)] }],
  ['wrong', { error: null, steps: [] }],
  ['wrong', { error: null, steps: [step(true), step(false)] }],
  ['correct', { error: null, steps: [step(false), step(true)] }],
])('an episode stands as %j by its error, then by its last step', (outcome, episode) => {
  expect(episodeOutcome(episode as EpisodeRecord)).toEqual(outcome);
});

function step(correct: boolean) {
  return { feedback: { correct } } as EpisodeRecord['steps'][number];
}

test('totals add up field by field; an unknown cost makes the sum unknown', () => {
  const part = { ...noTotals(), samples: 2, correct: 1, input_tokens: 10, cost_usd: 0.5 };
  expect(addTotals([part, part])).toMatchObject({ samples: 4, correct: 2, input_tokens: 20, cost_usd: 1 });
  expect(addTotals([part, { ...part, cost_usd: null }, part]).cost_usd).toBeNull();
  expect(addTotals([])).toEqual(noTotals());
  const late = { ...noTotals(), errors_by_type: { timeout: 1 } };
  expect(addTotals([late, noTotals(), { ...late, errors_by_type: { timeout: 2, other: 1 } }])).toEqual({
    ...noTotals(),
    errors_by_type: { timeout: 3, other: 1 },
  });
});

test.each([
  [{ samples: 0 }, null],
  [{ samples: 3, errors: 3 }, null],
  [{ samples: 4, errors: 1, correct: 3 }, 1],
  [{ samples: 5, errors: 1, correct: 1 }, 0.25],
])('the accuracy of %j is %s: errors are no wrong answers', (totals, accuracy) => {
  expect(accuracyOf({ ...noTotals(), ...totals })).toBe(accuracy);
});

test('what stands beside the replies is added up, and is nothing where there was nothing', () => {
  const unrecorded = { requests: 1, usage: { input_tokens: 2, output_tokens: 3 }, cost_usd: 0.5 };
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
  bookCall(other, { usage_estimated: true, finish_reason: 'length', cost_usd: null, unrecorded });
  bookUnrecorded(other, unrecorded);
  bookUnrecorded(other, null);
  const sum = addTotals([totals, other]);
  expect(sum).toMatchObject({
    lm_calls: 2,
    cost_usd: null,
    lm_calls_cut_off: 1,
    lm_calls_estimated: 1,
    unrecorded: { requests: 2, usage: { input_tokens: 4, output_tokens: 6 }, cost_usd: 1 },
  });
  expect(spendingOfTotals(sum)).toEqual({ lm_calls: 4, unrecorded: 2, tokens: 21, cost_usd: null });
  expect(spendingOfTotals(totals)).toEqual({ lm_calls: 1, tokens: 11, cost_usd: 1 });
});
