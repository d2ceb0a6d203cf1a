import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../../src/contracts/language-model.js';
import { type RunFacts, RunMetricsBuilder } from '../../../src/kinds/run/metrics.js';
import type { Metrics } from '../../../src/kinds/run/results.js';
import { rewardStatistics } from '../../../src/statistics/reward-statistics.js';
import { call, row } from '../../support/rows.js';

const FACTS: RunFacts = {
  name: 'run',
  experiment: 'run-2',
  status: 'done',
  status_message: null,
  model: 'openai/x',
  simulated: false,
  agent: 'history_agent',
  seed: 0,
  in_words: ['Samples are independent.', 'Each prompt shows its question alone.'],
  feedback_in_prompts: 'none',
  feedback_in_memory: 'full',
  samples_planned: 10,
  wall_seconds: 5,
  started_at: '2025-01-01T00:00:00.000Z',
  ended_at: '2025-01-01T00:00:05.000Z',
  num_trials: 1,
  early_stop_on_success: false,
  environment: 'QAEnv',
};

/** Samples `s0`, `s1`, …, each as its outcomes by trial: `no yes`. */
function metricsOf(samples: string[], num_trials = 1, early_stop_on_success = false): Metrics {
  const builder = new RunMetricsBuilder(num_trials);
  samples.forEach((outcomes, sample) => {
    outcomes.split(' ').forEach((outcome, trial) => {
      builder.add(row(`s${sample}`, trial, outcome), []);
    });
  });
  return builder.finish({ ...FACTS, num_trials, early_stop_on_success });
}

function metricsOfCalls(...calls: Partial<CallRecord>[]): Metrics {
  const builder = new RunMetricsBuilder(1);
  builder.add(row('s1', 0, 'yes'), calls.map(call));
  return builder.finish(FACTS);
}

describe('accuracy', () => {
  test.each<[string[], number, Partial<Metrics>]>([
    [[], 1, { samples: 0, episodes: 0, correct: 0, accuracy: null, mean_reward: null }],
    [['yes', 'no', 'no', 'yes'], 1, { samples: 4, correct: 2, accuracy: 0.5, errors: 0, mean_reward: 0.5 }],
    // Errors are no wrong answers: they leave the denominator.
    [['yes', 'timeout', 'timeout', 'no'], 1, { samples: 4, errors: 2, accuracy: 0.5, mean_reward: 0.5 }],
    [['timeout'], 1, { samples: 1, errors: 1, correct: 0, accuracy: null, mean_reward: null }],
    // The last trial counts.
    [['no yes', 'yes no'], 2, { samples: 2, episodes: 4, correct: 1, accuracy: 0.5 }],
    [['yes timeout', 'timeout yes'], 2, { samples: 2, correct: 1, errors: 1, accuracy: 1 }],
  ])('of %j', (samples, trials, expected) => {
    expect(metricsOf(samples, trials)).toMatchObject(expected);
  });

  test('errors are counted by type, in order', () => {
    const { errors_by_type } = metricsOf(['timeout', 'EmptyReply', 'timeout', 'yes']);
    expect(Object.entries(errors_by_type)).toEqual([
      ['EmptyReply', 1],
      ['timeout', 2],
    ]);
  });
});

describe('success by trial', () => {
  test.each<[string, string[], number, (number | null)[], number[]]>([
    ['each trial of its own', ['no no yes', 'no yes yes'], 3, [0, 0.5, 1], [0, 1, 2]],
    [
      'a sample that stopped early counts on',
      ['yes', 'no yes', 'no no no'],
      3,
      [1 / 3, 2 / 3, 2 / 3],
      [1, 2, 2],
    ],
    ['so does one that was cut off, as it stood', ['no yes', 'no'], 2, [0, 0.5], [0, 1]],
    ['a success may be lost', ['yes no'], 2, [1, 0], [1, 0]],
    ['an error is left out of its own trial', ['timeout yes', 'no no'], 2, [0, 0.5], [0, 1]],
    ['and stays out of later ones that did not run', ['timeout', 'no no'], 2, [0, 0], [0, 0]],
    ['nothing judged', ['timeout timeout'], 2, [null, null], [0, 0]],
    ['no sample', [], 2, [null, null], [0, 0]],
  ])('%s', (_name, samples, trials, shares, counts) => {
    const metrics = metricsOf(samples, trials);
    expect(metrics.success_by_trial).toEqual(shares);
    expect(metrics.correct_by_trial).toEqual(counts);
  });
});

describe('the mean over trials', () => {
  test.each<[string, string[], number | null, number]>([
    ['counts every judged trial alike', ['yes no', 'no no', 'yes yes'], 0.5, 6],
    ['leaves errors out', ['yes timeout', 'no no'], 1 / 3, 3],
    ['is of what was tried', ['yes', 'no no'], 1 / 3, 3],
    ['is none where nothing was judged', ['timeout timeout'], null, 0],
  ])('%s', (_name, samples, mean, judged) => {
    const metrics = metricsOf(samples, 2);
    expect(metrics.mean_over_trials).toEqual(mean);
    expect(metrics.trials_judged).toBe(judged);
    expect(metrics.accuracy_of).toBe('last_trial');
  });

  test('has the interval that reprise stats has of the same rows', () => {
    const samples = ['yes no', 'no no', 'yes yes', 'no yes', 'timeout yes', 'no no'];
    const rows = samples.flatMap((outcomes, sample) =>
      outcomes.split(' ').map((outcome, trial) => ({
        task_id: `s${sample}`,
        trial,
        reward: outcome === 'timeout' ? null : Number(outcome === 'yes'),
        error: outcome === 'timeout',
      })),
    );
    const { mean_reward } = rewardStatistics(rows);
    const metrics = metricsOf(samples, 2);
    expect(metrics.mean_over_trials).toBe(mean_reward?.estimate);
    expect(metrics.mean_over_trials_interval).toEqual([mean_reward?.lower, mean_reward?.upper]);
  });

  test('has no interval with one sample', () => {
    expect(metricsOf(['yes no'], 2).mean_over_trials_interval).toBeNull();
  });

  test('is not there with one trial, or where a success ends the trials of a sample', () => {
    expect(metricsOf(['yes', 'no'])).not.toHaveProperty('mean_over_trials');
    const stopped = metricsOf(['yes', 'no yes', 'no no'], 2, true);
    expect(stopped).not.toHaveProperty('mean_over_trials');
    expect(stopped).toMatchObject({ accuracy_of: 'any_trial', accuracy: 2 / 3 });
  });
});

describe('what was spent', () => {
  test('calls, tokens and dollars are added up', () => {
    const calls = [{ cost_usd: 0.1 }, { cost_usd: 0.2, repeated: 2 }, { maybe_repeated: 1 }];
    expect(metricsOfCalls(...calls)).toMatchObject({
      lm_calls: 3,
      lm_calls_repeated: 2,
      lm_calls_maybe_repeated: 1,
      lm_calls_cached: 0,
      usage: { input_tokens: 30, output_tokens: 15 },
      // Not 0.30000000000000004 and its like.
      cost_usd: 0.301,
    });
  });

  test('one unknown price makes the cost unknown, not less', () => {
    expect(metricsOfCalls({ cost_usd: 0.1 }, { cost_usd: null }, { cost_usd: 0.1 }).cost_usd).toBeNull();
  });

  test('a call without usage adds no tokens', () => {
    expect(metricsOfCalls({ usage: undefined }, {}).usage).toEqual({ input_tokens: 10, output_tokens: 5 });
  });

  test('calls from the shared cache are counted apart and cost nothing', () => {
    const metrics = metricsOfCalls({ cost_usd: 0.5 }, { cached: true, cost_usd: 0 });
    expect(metrics).toMatchObject({ lm_calls_cached: 1, cost_usd: 0.5 });
  });

  test('a call that belongs to no finished episode was paid for all the same', () => {
    const builder = new RunMetricsBuilder(1);
    builder.add(row('s1', 0, 'yes'), [call({ cost_usd: 1 })]);
    builder.addCall(call({ cost_usd: 2 }));
    expect(builder.finish(FACTS)).toMatchObject({ lm_calls: 2, cost_usd: 3, samples: 1, episodes: 1 });
  });

  test('cut-off replies and warnings are counted', () => {
    const builder = new RunMetricsBuilder(1);
    builder.add(row('s1', 0, 'no', {}, [call({ finish_reason: 'length' })]), [call({ adapted: ['a'] })]);
    builder.add({ ...row('s2', 0, 'no'), warnings: ['a', 'b'] }, []);
    expect(builder.finish(FACTS)).toMatchObject({
      cut_off: 1,
      adaptations: { a: 1 },
      warnings: 2,
      first_warning: 'a',
    });
  });
});

describe('by task', () => {
  test('the figures stand under the environment’s name, without a matrix where there are no letters', () => {
    expect(metricsOf(['yes', 'no', 'timeout']).by_task).toEqual({
      QAEnv: { samples: 3, correct: 1, errors: 1, accuracy: 0.5 },
    });
  });

  test('letters make a confusion matrix of last trials; no letter counts as none', () => {
    const builder = new RunMetricsBuilder(2);
    const letters = (target_letter: string, predicted: string | null) => ({ target_letter, predicted });
    builder.add(row('s1', 0, 'no', letters('B', 'A')), []);
    builder.add(row('s1', 1, 'yes', letters('B', 'B')), []);
    builder.add(row('s2', 0, 'no', letters('B', 'A')), []);
    builder.add(row('s3', 0, 'no', letters('A', null)), []);
    builder.add(row('s4', 0, 'timeout'), []);
    const { confusion } = builder.finish({ ...FACTS, num_trials: 2, environment: 'MCQEnv' }).by_task
      .MCQEnv as { confusion: object };
    expect(JSON.stringify(confusion)).toBe('{"A":{"none":1},"B":{"A":1,"B":1}}');
  });
});

test('what is named like a part of every object is counted like anything else', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const builder = new RunMetricsBuilder(1);
  for (const [index, name] of names.entries()) {
    builder.add(row(`error ${index}`, 0, name), []);
    const letters = { target_letter: name, predicted: name };
    const agent_metrics = Object.fromEntries([[name, 2]]);
    for (const id of ['first', 'second']) {
      builder.add({ ...row(`${id} ${index}`, 0, 'no', letters), agent_metrics }, []);
    }
  }
  const { errors_by_type, agent_metrics, by_task } = builder.finish(FACTS);
  const counted = (counts: object | undefined) => Object.entries(counts ?? {});
  expect(counted(errors_by_type)).toEqual(names.map((name) => [name, 1]));
  expect(counted(agent_metrics)).toEqual(names.map((name) => [name, 4]));
  const confusion = counted(by_task.QAEnv?.confusion).map(([target, counts]) => [target, counted(counts)]);
  expect(confusion).toEqual(names.map((name) => [name, [[name, 2]]]));
});

test('the facts of the run are passed on, and nothing else is made up', () => {
  const { num_trials: _trials, early_stop_on_success: _stop, environment: _class, ...facts } = FACTS;
  expect(metricsOf(['yes'])).toMatchObject({ kind: 'run', ...facts });
  expect(metricsOf(['yes'])).not.toHaveProperty('num_trials');
});
