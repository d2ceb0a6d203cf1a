import { expect, test } from 'vitest';
import { SWEEP_FACTS } from '../../../src/kinds/sweep/facts.js';

/** Rows and notes of the table of scores, of two models with these scores. */
function scoreTableOf(names: readonly string[], repeats = 1, more: readonly object[] = []) {
  const scores = names.map((score) => ({ score, is_share: true, samples: 4, mean: 0.5, stderr: 0.25 }));
  const settings = ['a', 'b'].map((model, index) => ({
    ...{ settings: { model }, cells: [model], scores, cost_usd: 1 },
    ...more[index],
  }));
  const metrics = { command: 'run', repeats, cells: [], settings };
  const units = { noun: 'cell', planned: 2, ended: 2, running: 0 };
  const facts = SWEEP_FACTS.facts({ metrics, units } as never);
  const value = facts.find(({ id }) => id === 'scores')?.value;
  if (value?.kind !== 'table') return null;
  return { rows: value.rows.map((row) => row.slice(0, 2)), notes: value.notes };
}

const texts = (...row: string[]) => row.map((text) => ({ kind: 'text', text }));

test('several scores of a setting stand in a table, without repeats too', () => {
  expect(scoreTableOf(['correct', 'polite'])).toEqual({
    rows: [texts('a', 'correct'), texts('a', 'polite'), texts('b', 'correct'), texts('b', 'polite')],
    notes: ['Means ± standard error, clustered by sample.'],
  });
});

test('the tables say what their errors are clustered by', () => {
  const [a, b] = ['a', 'b'].map((model) => ({
    settings: { model },
    cells: [model],
    scores: [],
    cost_usd: 1,
  }));
  const one = { score: 'correct', is_share: true, pairs: 4, difference: 0.5, interval: null, p_value: 1 };
  const notesOf = (more: object) => {
    const metrics = {
      command: 'run',
      repeats: 2,
      cells: [],
      settings: [a, { ...b, differences: [one] }],
      ...more,
    };
    const units = { noun: 'cell', planned: 2, ended: 2, running: 0 };
    const facts = SWEEP_FACTS.facts({ metrics, units } as never);
    return facts.flatMap(({ value }) => (value.kind === 'table' ? (value.notes ?? []) : []));
  };
  expect(notesOf({ clustered_by: 'passage' })).toContain(
    'Against a, paired by sample, with 95 % intervals, clustered by passage.',
  );
  expect(notesOf({})).toContain('Against a, paired by sample, with 95 % intervals.');
});

test('one score stands there where it is of several repeats', () => {
  expect(scoreTableOf(['correct'])).toBeNull();
  expect(scoreTableOf(['correct'], 3)).toEqual({
    rows: [texts('a', 'correct'), texts('b', 'correct')],
    notes: ['Means over 3 repeats ± standard error, clustered by sample.'],
  });
});

test('a scorer that gave no score in a setting is named below it, also where the table has nothing else to say', () => {
  const unscored = { graded: { samples: 30, of: 30 } };
  expect(scoreTableOf(['correct'], 1, [{}, { unscored }])).toEqual({
    rows: [texts('a', 'correct'), texts('b', 'correct')],
    notes: ['Means ± standard error, clustered by sample.', 'graded: 30 of 30 unscored in b.'],
  });
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`s${index}`, unscored.graded]));
  const { notes = [] } = scoreTableOf(['correct'], 1, [{ unscored: many }]) ?? {};
  expect(notes.slice(10)).toEqual(['s9: 30 of 30 unscored in a.', '… and 2 more, in metrics.json.']);
});
