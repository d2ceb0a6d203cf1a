import { describe, expect, test } from 'vitest';
import { resultRow, sumCost, sumUsage, withTask } from '../../src/statistics/result-row.js';
import { call, episode, step } from '../support/rows.js';

describe('the row of an episode', () => {
  test('holds the last action, how it was judged, and what it cost', () => {
    const calls = [call(), call({ purpose: 'reflect', finish_reason: 'length', cost_usd: 0.002 })];
    expect(resultRow(episode({ steps: [step(true, { extracted: '42' })] }), calls)).toEqual({
      id: 's1',
      trial: 0,
      action: 'action',
      extracted: '42',
      feedback: { correct: true, target: 't', message: 'm', extra: { extracted: '42' } },
      reward: 1,
      error: null,
      steps: 1,
      // Of the last act, not of the reflection after it.
      finish_reason: 'stop',
      lm_calls: 2,
      usage: { input_tokens: 20, output_tokens: 10 },
      cost_usd: 0.003,
      started_at: '2025-01-01T00:00:00.000Z',
      seconds: 1.5,
    });
  });

  test('of several steps lists them all, and is judged by the last', () => {
    const steps = [step(false), { ...step(true), action: 'last' }];
    const row = resultRow(episode({ steps }), []);
    expect(row).toMatchObject({ action: 'last', steps: 2, step_records: steps, reward: 1 });
    expect(row.feedback?.correct).toBe(true);
  });

  test('with an error it is not judged, whatever went before', () => {
    const error = { type: 'timeout', message: 'no answer in time' };
    const row = resultRow(episode({ steps: [step(true)], error }), [call({ finish_reason: 'length' })]);
    expect(row).toMatchObject({ error, feedback: null, reward: null, steps: 1, finish_reason: 'length' });
  });

  test('without a step it has no action', () => {
    const row = resultRow(episode({ steps: [], error: { type: 'x', message: '' } }), []);
    expect(row).toMatchObject({
      action: null,
      extracted: null,
      finish_reason: null,
      lm_calls: 0,
      cost_usd: 0,
    });
  });

  test('names warnings only where there are some', () => {
    expect(resultRow(episode(), [])).not.toHaveProperty('warnings');
    expect(resultRow(episode({ warnings: ['late'] }), [])).toMatchObject({ warnings: ['late'] });
  });
});

describe('the row as it is written', () => {
  const task = { question: 'What is 6 × 7?', target: '42', metadata: {} };

  test('begins with what the task was, after its names', () => {
    const row = resultRow(episode(), []);
    const written = withTask(row, { ...task, choices: ['41', '42'], metadata: { subject: 'sums' } });
    const { id, trial, ...rest } = row;
    const asked = {
      question: 'What is 6 × 7?',
      target: '42',
      choices: ['41', '42'],
      metadata: { subject: 'sums' },
    };
    expect(Object.entries(written)).toEqual(Object.entries({ id, trial, ...asked, ...rest }));
  });

  test('of an error says it as well, and what there is none of is not there', () => {
    const row = resultRow(episode({ steps: [], error: { type: 'timeout', message: '' } }), []);
    expect(withTask(row, { ...task, target: null })).toEqual({
      ...row,
      question: task.question,
      target: null,
    });
  });
});

test.each<[(number | null)[], number | null]>([
  [[], 0],
  [[0.1, 0.2], 0.3],
  [[0.1, null, 0.2], null],
  [[1e-9, 1e-9], 0],
])('calls of %j dollars cost %s together', (costs, sum) => {
  expect(sumCost(costs.map((cost_usd) => ({ cost_usd })))).toBe(sum);
});

test('calls without usage count as none', () => {
  expect(sumUsage([{}, { usage: { input_tokens: 1, output_tokens: 2 } }])).toEqual({
    input_tokens: 1,
    output_tokens: 2,
  });
});
