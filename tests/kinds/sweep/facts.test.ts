import { expect, test } from 'vitest';
import { SWEEP_FACTS } from '../../../src/kinds/sweep/facts.js';

/** Rows and notes of the table of scores, of two models with these scores. */
function scoreTableOf(names: readonly string[], repeats = 1) {
  const scores = names.map((score) => ({ score, is_share: true, samples: 4, mean: 0.5, stderr: 0.25 }));
  const settings = ['a', 'b'].map((model) => ({ settings: { model }, cells: [model], scores, cost_usd: 1 }));
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

test('one score stands there where it is of several repeats', () => {
  expect(scoreTableOf(['correct'])).toBeNull();
  expect(scoreTableOf(['correct'], 3)).toEqual({
    rows: [texts('a', 'correct'), texts('b', 'correct')],
    notes: ['Means over 3 repeats ± standard error, clustered by sample.'],
  });
});
