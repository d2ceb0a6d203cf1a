import { describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/exit.js';
import { dollars, metricsTable, percent } from '../../src/cli/format.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { Metrics } from '../../src/contracts/results.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { tableLines } from './table-lines.js';

const METRICS: Metrics = {
  name: 'run',
  experiment: 'run',
  kind: 'run',
  status: 'done',
  status_message: null,
  model: 'openai/x',
  simulated: false,
  agent: 'history_agent',
  seed: 0,
  in_words: ['Samples are independent.', 'Each prompt shows its question alone.'],
  feedback_in_prompts: 'none',
  feedback_in_memory: 'full',
  samples: 10,
  samples_planned: 10,
  episodes: 20,
  accuracy_of: 'last_trial',
  correct: 6,
  accuracy: 0.75,
  errors: 2,
  error_types: { EmptyReply: 1, timeout: 1 },
  success_by_trial: [0.5, 0.75],
  correct_by_trial: [4, 6],
  trials_judged: 16,
  mean_over_trials: 0.625,
  mean_over_trials_interval: [0.375, 0.875],
  mean_reward: 0.75,
  cut_off: 0,
  warnings: 0,
  lm_calls: 33,
  lm_calls_repeated: 2,
  lm_calls_cached: 0,
  usage: { input_tokens: 1000, output_tokens: 200 },
  cost_usd: 0.12345,
  wall_seconds: 61,
  started_at: '2025-01-01T00:00:00.000Z',
  ended_at: '2025-01-01T00:01:01.000Z',
  by_task: { QAEnv: { samples: 10, correct: 6, errors: 2, accuracy: 0.75 } },
};

const lines = (metrics: Partial<Metrics>) => tableLines(metricsTable({ ...METRICS, ...metrics }));

describe('the result table', () => {
  test('goes on below where a line is longer than a terminal, and breaks no word', () => {
    const message = `cannot connect: ${'the connection was refused '.repeat(8)}${'x'.repeat(110)}`;
    const [first, ...others] = lines({ status: 'failed', status_message: message });
    const status = [first?.slice('status: '.length), ...others.slice(0, others.indexOf('model: openai/x'))];
    expect(status.join(' ')).toBe(`failed (${message})`);
    expect(status.map((line) => line?.length)).toEqual([96, 92, 49, 111]);
  });

  test('shows the figures of metrics.json', () => {
    expect(lines({})).toEqual([
      'status: done',
      'model: openai/x',
      'accuracy (last trial): 75.0 % (6 of 8 judged samples)',
      'samples: 10, 20 episodes',
      'success by trial: trial 1: 50.0 %, trial 2: 75.0 %',
      'mean over trials: 62.5 % (95 % interval 37.5 % to 87.5 %; 16 judged trials)',
      'errors: 2, not counted as wrong',
      'LM calls: 33, 2 repeated after a crash',
      'tokens: 1000 in, 200 out',
      'cost: $0.1235',
      'time: 61.0 s',
    ]);
  });

  test.each<[Partial<Metrics>, string]>([
    [{ simulated: true }, 'model: openai/x (a simulation: no benchmark figure)'],
    [{ status: 'limit_reached', status_message: 'all spent' }, 'status: limit_reached (all spent)'],
    [{ samples: 4 }, 'samples: 4 of 10, 20 episodes'],
    [{ accuracy: null, correct: 0, samples: 2 }, 'accuracy (last trial): – (0 of 0 judged samples)'],
    [{ cost_usd: null }, 'cost: unknown (no price for this model)'],
    [{ lm_calls_estimated: 3 }, 'LM calls: 33, 2 repeated after a crash, 3 with estimated tokens'],
    [{ lm_calls_maybe_repeated: 4 }, 'LM calls: 33, 2 repeated after a crash, 4 that may have been'],
    [
      { unkept: { requests: 1, usage: { input_tokens: 9, output_tokens: 20 }, cost_usd: 0.0123 } },
      'replies not kept: 1 request, at most 9 tokens in, 20 out and $0.0123',
    ],
    [
      { unkept: { requests: 2, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: null } },
      'replies not kept: 2 requests, at most 0 tokens in, 0 out and an unknown cost',
    ],
    [{ accuracy: 0.9995 }, 'accuracy (last trial): 99.95 % (6 of 8 judged samples)'],
    [{ cost_usd: 0.00004 }, 'cost: $0.00004'],
    [{ errors: 0 }, 'errors: 0'],
    [{ cut_off: 3 }, 'cut-off replies: 3, at their token limit (max_output_tokens)'],
    [
      { cut_off: 3, cut_off_reasoning_tokens: 60 },
      'cut-off replies: 3, at their token limit (max_output_tokens); 60 of their tokens were reasoning',
    ],
    [
      { adaptations: { 'lm.temperature 1 is left out: why': 2 } },
      'sent otherwise: lm.temperature 1 is left out: why (2 calls)',
    ],
    [
      { usage: { input_tokens: 1, output_tokens: 5, reasoning_tokens: 4 } },
      'tokens: 1 in, 5 out (4 reasoning)',
    ],
    [{ warnings: 2, first_warning: 'after step 1:\nblind' }, 'warnings: 2, the first: after step 1: blind'],
    [{ warnings: 2 }, 'warnings: 2'],
    [{ success_by_trial: [0.5, null] }, 'success by trial: trial 1: 50.0 %, trial 2: –'],
    [{ accuracy_of: 'any_trial' }, 'accuracy (any trial): 75.0 % (6 of 8 judged samples)'],
    [{ accuracy_of: 'any_trial' }, 'success by trial (any so far): trial 1: 50.0 %, trial 2: 75.0 %'],
    [
      { accuracy_of: 'any_trial', mean_over_trials: undefined },
      'mean over trials: – (a success ends the trials of its sample)',
    ],
    [{ mean_over_trials_interval: null }, 'mean over trials: 62.5 % (no interval; 16 judged trials)'],
    [{ mean_over_trials: null, trials_judged: 0 }, 'mean over trials: –'],
  ])('of %j says: %s', (metrics, line) => {
    expect(lines(metrics)).toContain(line);
  });

  test('says below it what each cause of errors said first', () => {
    const error_causes = [
      { type: 'EmptyReply', message: 'the reply is empty', count: 1 },
      { type: 'timeout', message: 'no answer\nin 60 s', count: 1 },
    ];
    expect(
      metricsTable({ ...METRICS, error_causes })
        .split('\n')
        .slice(-3),
    ).toEqual([
      'Errors by cause, each with its first message:',
      '  1 EmptyReply: the reply is empty',
      '  1 timeout: no answer in 60 s',
    ]);
    expect(metricsTable({ ...METRICS, errors: 0, error_types: {} })).not.toContain('first message');
  });

  test('does not speak of trials where there is one', () => {
    expect(lines({ success_by_trial: [0.5], accuracy_of: 'only_trial' }).join('\n')).not.toContain('trial');
  });

  test('shows a confusion matrix where there is one', () => {
    const confusion = { A: { A: 3, none: 1 }, B: { A: 2 } };
    const by_task = { MCQEnv: { samples: 6, correct: 3, errors: 0, accuracy: 0.5, confusion } };
    expect(lines({ by_task }).slice(-3)).toEqual(['target \\ answered: A: none', 'A: 3: 1', 'B: 2: 0']);
    expect(metricsTable({ ...METRICS, by_task })).toContain('MCQEnv, target letter by answered letter:');
    const named = { A: { constructor: 1 }, B: { A: 2 } };
    expect(lines({ by_task: { MCQEnv: { ...by_task.MCQEnv, confusion: named } } }).at(-1)).toBe('B: 2: 0');
  });
});

test('shares and dollars that are not known are no zeros', () => {
  expect([percent(null), percent(0), percent(1 / 3)]).toEqual(['–', '0.0 %', '33.3 %']);
  expect([dollars(null), dollars(0)]).toEqual(['unknown (no price for this model)', '$0.0000']);
});

test.each<[unknown, number]>([
  [new InvalidInputError('runtime.num_trials: must be more than 0', 'runtime.num_trials'), 2],
  [
    new StorageError({ message: 'disk full', uri: 'file:///x', key: 'a', code: 'ENOSPC', retryable: true }),
    1,
  ],
  [new Error('something else'), 1],
  ['a text', 1],
])('%s exits with %i and says why', (error, code) => {
  const explained = explain(error);
  expect(explained.code).toBe(code);
  expect(explained.message).toBe(error instanceof Error ? error.message : error);
});
