import { expect, test } from 'vitest';
import { runStanding } from '../../src/cli/run-format.js';
import { noTotals } from '../../src/runtime/totals.js';

test('a run in progress says how far it is and where it writes', () => {
  const text = runStanding({
    experiment: 'mine',
    phase: 'running',
    samples_planned: 80,
    concurrency: 5,
    totals: { ...noTotals(), samples: 20, correct: 15, lm_calls: 31, cost_usd: 0.5 },
    accuracy: 0.75,
    accuracy_of: 'last_trial',
    shards: [],
    artifacts: 's3://bucket/mine',
    simulated: false,
    message: 'waiting for openai/a: busy',
    means: ['Samples are independent.', 'Each prompt shows its question alone.'],
  });
  expect(text.split('\n').slice(-2)).toEqual([
    'Samples are independent.',
    'Each prompt shows its question alone.',
  ]);
  const rows = text.split('\n').flatMap((line) => {
    const cells = line.split('│').map((cell) => cell.trim());
    return cells.length < 3 ? [] : [cells.slice(1, 3)];
  });
  expect(Object.fromEntries(rows)).toMatchObject({
    phase: 'running: waiting for openai/a: busy',
    samples: '20 of 80',
    'correct (last trial)': '15 (75.0 %)',
    'LM calls': '31',
    cost: '$0.5000',
    concurrency: '5',
    artifacts: 's3://bucket/mine',
  });
});
