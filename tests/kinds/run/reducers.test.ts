import { expect, test } from 'vitest';
import type { ResultRow } from '../../../src/contracts/results.js';
import { epochsNeeded, REDUCER, ReducerSums, ScoreReducerSums } from '../../../src/kinds/run/reducers.js';
import { row } from '../../support/rows.js';

const ALL = ['mean', 'mode', 'at_least_1', 'at_least_2', 'at_least_4', 'pass_at_1', 'pass_at_2', 'pass_at_4'];

/** Epochs of a sample, each as its answer: capitals are right, small letters wrong, `!` is an error. */
function epochs(answers: string): ResultRow[] {
  return [...answers].map((answer, epoch) => ({
    ...row('s', epoch, answer === '!' ? 'timeout' : answer === answer.toUpperCase() ? 'yes' : 'no'),
    extracted: answer,
  }));
}

function valuesOf(answers: string): (number | null)[] {
  const sums = new ReducerSums(ALL);
  sums.add('s', epochs(answers));
  return Object.values(sums.figures({})).map(({ mean }) => mean);
}

test.each<[string, (number | null)[]]>([
  //        mean  mode ≥1 ≥2 ≥4 pass@1 pass@2 pass@4
  ['AAAA', [1, 1, 1, 1, 1, 1, 1, 1]],
  ['bbbb', [0, 0, 0, 0, 0, 0, 0, 0]],
  ['AbcA', [0.5, 1, 1, 1, 0, 0.5, 5 / 6, 1]],
  ['bAbA', [0.5, 0, 1, 1, 0, 0.5, 5 / 6, 1]],
  ['Abbc', [0.25, 0, 1, 0, 0, 0.25, 0.5, 1]],
  // Errors are no answers: what needs more epochs than are left has no value.
  ['A!!b', [0.5, 1, 1, 0, null, 0.5, 1, null]],
  ['!!!b', [0, 0, 0, null, null, 0, null, null]],
  ['!!!!', [null, null, null, null, null, null, null, null]],
])('epochs %s are reduced to %j', (answers, expected) => {
  const values = valuesOf(answers);
  for (const [index, value] of expected.entries()) {
    if (value === null) expect(values[index], ALL[index]).toBeNull();
    else expect(values[index], ALL[index]).toBeCloseTo(value, 12);
  }
});

test('values are averaged over samples, with their uncertainty, and ties are counted', () => {
  const sums = new ReducerSums(['mean', 'mode', 'pass_at_2']);
  const samples = ['AAb', 'Acb', 'bcA', '!!A', '!!!'];
  for (const [index, answers] of samples.entries()) sums.add(`s${index}`, epochs(answers));
  const { mean, mode, pass_at_2: pass } = sums.figures({});
  expect(mean).toMatchObject({ samples: 4, mean: (2 / 3 + 1 / 3 + 1 / 3 + 1) / 4 });
  expect(mean).not.toHaveProperty('ties');
  // Of `Acb` and `bcA` all answers are as frequent: the first one counts.
  expect(mode).toMatchObject({ samples: 4, mean: 0.75, ties: 2 });
  expect(mode?.stderr).toBeCloseTo(0.25, 12);
  expect(mode?.interval?.[0]).toBeLessThan(0.75);
  expect(pass?.samples).toBe(3);
  expect(pass?.mean).toBeCloseTo((1 + 2 / 3 + 2 / 3) / 3, 12);
});

test('of one sample there is no uncertainty, and samples of one cluster are taken together', () => {
  const sums = new ReducerSums(['mean']);
  sums.add('passage', epochs('AA'));
  sums.add('passage', epochs('bb'));
  expect(sums.figures({}).mean).toEqual({ samples: 2, mean: 0.5, stderr: null, interval: null });
});

test('answers are what was extracted, else the action, and lists are compared as JSON', () => {
  const votes = (fields: Partial<ResultRow>[]) => {
    const sums = new ReducerSums(['mode']);
    const rows = fields.map((one, epoch) => ({ ...row('s', epoch, epoch === 0 ? 'no' : 'yes'), ...one }));
    sums.add('s', rows);
    return sums.figures({}).mode;
  };
  const action = (text: string | null) => ({ extracted: null, action: text });
  expect(votes([action('4'), action(' 5\n'), action('5')])).toMatchObject({ mean: 1, ties: 0 });
  expect(votes([{ extracted: '4' }, action('4')])).toMatchObject({ mean: 0, ties: 0 });
  expect(votes([{ extracted: [1] }, { extracted: [2] }, { extracted: [2] }])).toMatchObject({ mean: 1 });
  expect(votes([action(null), action(null)])).toMatchObject({ mean: 0, ties: 0 });
});

test.each(['mean', 'mode', 'at_least_1', 'pass_at_12'])('%s is a reducer', (name) => {
  expect(REDUCER.test(name)).toBe(true);
  expect(epochsNeeded(name)).toBe(name === 'pass_at_12' ? 12 : 1);
});

test.each(['median', 'at_least', 'pass_at_0', 'pass_at_-1', 'pass@2', ' mean', 'pass_at_2 '])(
  '%s is no reducer',
  (name) => {
    expect(REDUCER.test(name)).toBe(false);
  },
);

test('scores that are true or false are reduced as well, each by itself, without those that are missing', () => {
  const sums = new ScoreReducerSums(['mean', 'mode', 'pass_at_2']);
  const scored = (answers: string, polite: (boolean | null)[]) =>
    epochs(answers).map((one, index) => ({ ...one, scores: { polite: polite[index] as boolean, f1: 0.5 } }));
  sums.add('s', scored('AbA', [false, true, true]));
  sums.add('t', scored('AbA', [true, null, false]));
  sums.add('u', epochs('AbA'));
  const { score_reducers = {} } = sums.figures({});
  expect(Object.keys(score_reducers)).toEqual(['polite']);
  expect(score_reducers.polite?.mean).toMatchObject({ samples: 2, mean: (2 / 3 + 1 / 2) / 2 });
  // The most frequent answer is scored as it was when it was first seen.
  expect(score_reducers.polite?.mode).toMatchObject({ samples: 2, mean: 0.5 });
  expect(score_reducers.polite?.pass_at_2?.mean).toBe(1);
  expect(new ScoreReducerSums(['mean']).figures({})).toEqual({});
});
