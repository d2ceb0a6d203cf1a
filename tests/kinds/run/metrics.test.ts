import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/contracts/json.js';
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
  early_stop_on_success: false,
  environment: 'QAEnv',
};

/** Samples `s0`, `s1`, …, each as its outcomes by trial: `no yes`. */
function metricsOf(samples: string[], num_trials = 1, early_stop_on_success = false): Metrics {
  const builder = new RunMetricsBuilder({ num_trials });
  samples.forEach((outcomes, sample) => {
    outcomes.split(' ').forEach((outcome, trial) => {
      builder.add(row(`s${sample}`, trial, outcome), []);
    });
  });
  return builder.finish({ ...FACTS, early_stop_on_success });
}

function metricsOfCalls(...calls: Partial<CallRecord>[]): Metrics {
  const builder = new RunMetricsBuilder({ num_trials: 1 });
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

describe('uncertainty', () => {
  // 7 and 15 right of 30, as two runs on AIME 2024 had it; s/√n by hand.
  const answers = (right: number) =>
    Array.from({ length: 30 }, (_, sample) => (sample < right ? 'yes' : 'no'));
  test.each([
    [7, Math.sqrt((7 * 23) / 30 / 29 / 30)],
    [15, Math.sqrt((15 * 15) / 30 / 29 / 30)],
  ])('of %i right answers of 30 is that of independent samples', (right, stderr) => {
    const metrics = metricsOf(answers(right));
    expect(metrics.accuracy_stderr).toBeCloseTo(stderr, 12);
    const [lower = 0, upper = 0] = metrics.accuracy_interval ?? [];
    expect(Math.abs(lower - (right / 30 - 1.96 * stderr))).toBeLessThan(0.04);
    expect(Math.abs(upper - (right / 30 + 1.96 * stderr))).toBeLessThan(0.04);
    expect(metrics).toMatchObject({
      mean_reward_stderr: metrics.accuracy_stderr,
      mean_reward_interval: metrics.accuracy_interval,
      success_by_trial_stderr: [metrics.accuracy_stderr],
      success_by_trial_interval: [metrics.accuracy_interval],
    });
    expect(metrics).not.toHaveProperty('clustered_by');
  });

  test.each([['yes'], ['no'], ['timeout']])('of one sample (%s) is unknown, and not 0', (outcome) => {
    expect(metricsOf([outcome, 'timeout'])).toMatchObject({
      accuracy_stderr: null,
      accuracy_interval: null,
      mean_reward_stderr: null,
      mean_reward_interval: null,
      success_by_trial_stderr: [null],
      success_by_trial_interval: [null],
    });
  });

  test('of several trials takes those of a sample together', () => {
    // Sums 2, 0 and 1 of two trials each: deviations 1, -1 and 0 from the mean of 1/2 a trial.
    expect(metricsOf(['yes yes', 'no no', 'yes no'], 2).mean_over_trials_stderr).toBeCloseTo(
      Math.sqrt((3 / 2) * 2) / 6,
      12,
    );
    expect(metricsOf(['yes yes'], 2).mean_over_trials_stderr).toBeNull();
  });

  test('takes samples together that have the value of metrics.cluster in common', () => {
    const builder = new RunMetricsBuilder({ num_trials: 1, cluster: 'passage' });
    // 1 1 0 | 0 0 | 1, as text and number, and not in order: deviations 0.5, -1 and 0.5 from the mean of 1/2.
    const rows: [string, Json][] = [
      ['yes', 'a'],
      ['no', 7],
      ['yes', 'a'],
      ['no', '7'],
      ['yes', null],
      ['no', 'a'],
    ];
    for (const [index, [outcome, passage]] of rows.entries()) {
      builder.add({ ...row(`s${index}`, 0, outcome), metadata: { passage } }, []);
    }
    const metrics = builder.finish(FACTS);
    expect(metrics).toMatchObject({ clustered_by: 'passage', accuracy: 0.5 });
    expect(metrics.accuracy_stderr).toBeCloseTo(0.25, 12);
    expect(metrics).not.toHaveProperty('figure_warnings');
  });

  test('of one cluster is unknown, and a field that no row has leaves the samples and one warning', () => {
    const of = (cluster: string, passage: Json) => {
      const builder = new RunMetricsBuilder({ num_trials: 1, cluster });
      for (const [index, outcome] of ['yes', 'no', 'yes'].entries()) {
        builder.add({ ...row(`s${index}`, 0, outcome), metadata: { passage } }, []);
      }
      return builder.finish(FACTS);
    };
    expect(of('passage', 'a')).toMatchObject({ accuracy_stderr: null, accuracy_interval: null });
    for (const without of [of('topic', 'a'), of('passage', ''), of('constructor', 'a')]) {
      expect(without.accuracy_stderr).toBeCloseTo(1 / 3, 12);
      expect(without.figure_warnings).toEqual([
        expect.stringMatching(/^metrics.cluster: no row has \w+ in its metadata, so each sample is/),
      ]);
      expect(without).not.toHaveProperty('clustered_by');
    }
  });
});

describe('groups', () => {
  type Sample = [outcome: string, metadata?: JsonObject, extra?: Parameters<typeof row>[3]];
  const grouped = (by: string[], samples: Sample[]) => {
    const builder = new RunMetricsBuilder({ num_trials: 1, by });
    for (const [index, [outcome, metadata, extra]] of samples.entries()) {
      builder.add(
        { ...row(`s${index}`, 0, outcome, extra), ...(metadata === undefined ? {} : { metadata }) },
        [],
      );
    }
    return builder.finish(FACTS);
  };

  test('have the figures of their samples, errors apart', () => {
    const { by } = grouped(
      ['category'],
      [
        ['yes', { category: 'algebra' }],
        ['no', { category: 'algebra' }],
        ['timeout', { category: 'algebra' }],
        ['yes', { category: 'geometry' }],
      ],
    );
    expect(by).toEqual({
      category: {
        algebra: {
          samples: 3,
          correct: 1,
          errors: 1,
          accuracy: 0.5,
          accuracy_stderr: 0.5,
          accuracy_interval: [0, 1],
          mean_reward: 0.5,
          mean_reward_stderr: 0.5,
          mean_reward_interval: [0, 1],
        },
        geometry: {
          samples: 1,
          correct: 1,
          errors: 0,
          accuracy: 1,
          accuracy_stderr: null,
          accuracy_interval: null,
          mean_reward: 1,
          mean_reward_stderr: null,
          mean_reward_interval: null,
        },
      },
    });
  });

  test.each<[string, string, Sample[], Record<string, number>]>([
    [
      'numbers and booleans are texts',
      'x',
      [
        ['no', { x: 1 }],
        ['no', { x: '1' }],
        ['no', { x: true }],
      ],
      { 1: 2, true: 1 },
    ],
    [
      'what is missing, null or blank is a group of its own',
      'x',
      [['no', { x: 'a' }], ['no', {}], ['no', { x: null }], ['no', { x: ' ' }], ['no']],
      { a: 1, '(missing)': 4 },
    ],
    [
      'lists and mappings are JSON',
      'x',
      [
        ['no', { x: ['a', 1] }],
        ['no', { x: { a: 1 } }],
      ],
      { '["a",1]': 1, '{"a":1}': 1 },
    ],
    [
      'the metadata comes before what the environment reports',
      'x',
      [
        ['no', { x: 'a' }, { x: 'b' }],
        ['no', { x: null }, { x: 'b' }],
        ['no', {}, { x: 'c' }],
      ],
      { a: 1, b: 1, c: 1 },
    ],
    [
      'a dotted path leads into a mapping, unless a field is named so',
      'm.x',
      [
        ['no', { m: { x: 'a' } }],
        ['no', { 'm.x': 'b', m: { x: 'a' } }],
        ['no', { m: 'x' }],
      ],
      { a: 1, b: 1, '(missing)': 1 },
    ],
    [
      'names of parts of every object are names like others',
      'x',
      [
        ['no', { x: 'constructor' }],
        ['no', { x: '__proto__' }],
      ],
      Object.fromEntries([
        ['__proto__', 1],
        ['constructor', 1],
      ]),
    ],
    [
      'numbers are in order, before texts',
      'x',
      [
        ['no', { x: 'b' }],
        ['no', { x: 10.5 }],
        ['no', { x: 'a' }],
        ['no', { x: -2 }],
        ['no', { x: '文' }],
      ],
      { '-2': 1, 10.5: 1, a: 1, b: 1, 文: 1 },
    ],
    [
      'a long text is cut, without half of a character',
      'x',
      [['no', { x: `${'a'.repeat(99)}😀😀` }]],
      { [`${'a'.repeat(99)}…`]: 1 },
    ],
  ])('%s', (_name, field, samples, expected) => {
    const groups = Object.entries(grouped([field], samples).by?.[field] ?? {});
    expect(groups.map(([name, { samples: count }]) => [name, count])).toEqual(Object.entries(expected));
  });

  test('of a field that no row has are none, with one warning', () => {
    const metrics = grouped(
      ['category', 'nowhere'],
      [
        ['yes', { category: 'a' }],
        ['no', { category: 'b' }],
      ],
    );
    expect(Object.keys(metrics.by ?? {})).toEqual(['category']);
    expect(metrics.figure_warnings).toEqual([
      'metrics.by: no row has nowhere, neither in its metadata nor in feedback.extra. Name it in dataset.meta_fields, so that later runs have it.',
    ]);
    expect(grouped(['category'], [])).not.toHaveProperty('figure_warnings');
  });

  test('are the hundred with the most samples, and the others are added up', () => {
    const samples = Array.from(
      { length: 240 },
      (_, index): Sample => [index < 2 ? 'timeout' : 'yes', { x: `g${index % 120}` }],
    );
    samples.push(...Array.from({ length: 100 }, (_, index): Sample => ['no', { x: `g${index + 20}` }]));
    const { by, by_others } = grouped(['x'], samples);
    expect(Object.keys(by?.x ?? {})).toHaveLength(100);
    expect(by?.x?.g20).toMatchObject({ samples: 3, correct: 2 });
    expect(by_others).toEqual({ x: { groups: 20, samples: 40, correct: 38, errors: 2 } });
  });
});

describe('scores that an environment reports', () => {
  test('are averaged over the samples that have them; the answer and groups are none', () => {
    const builder = new RunMetricsBuilder({ num_trials: 2, by: ['level'] });
    builder.add(row('s1', 0, 'no', { words: 100 }), []);
    builder.add(row('s1', 1, 'yes', { words: 3, polite: true, extracted: 42, level: 1, note: 'x' }), []);
    builder.add(row('s2', 0, 'no', { words: 4, polite: false, rare: 0.5, constructor: 2 }), []);
    builder.add(row('s3', 0, 'timeout'), []);
    const { scores } = builder.finish(FACTS);
    expect(Object.keys(scores ?? {})).toEqual(['words', 'polite', 'rare', 'constructor']);
    expect(scores?.words).toMatchObject({ samples: 2, mean: 3.5, stderr: 0.5, is_share: false });
    expect(scores?.polite).toMatchObject({ samples: 2, mean: 0.5, stderr: 0.5, is_share: true });
    expect(scores?.rare).toEqual({ samples: 1, mean: 0.5, stderr: null, interval: null, is_share: false });
  });

  test('are no more than a hundred, and none where there are none', () => {
    const builder = new RunMetricsBuilder({ num_trials: 1 });
    for (let index = 0; index < 150; index += 1)
      builder.add(row(`s${index}`, 0, 'no', { [`n${index}`]: 1, all: 1 }), []);
    const { scores } = builder.finish(FACTS);
    expect(Object.keys(scores ?? {})).toHaveLength(100);
    expect(scores?.all).toMatchObject({ samples: 150 });
    expect(metricsOf(['yes', 'no'])).not.toHaveProperty('scores');
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
    const builder = new RunMetricsBuilder({ num_trials: 1 });
    builder.add(row('s1', 0, 'yes'), [call({ cost_usd: 1 })]);
    builder.addCall(call({ cost_usd: 2 }));
    expect(builder.finish(FACTS)).toMatchObject({ lm_calls: 2, cost_usd: 3, samples: 1, episodes: 1 });
  });

  test('cut-off replies and warnings are counted', () => {
    const builder = new RunMetricsBuilder({ num_trials: 1 });
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
    const metrics = metricsOf(['yes', 'no', 'timeout']);
    const { accuracy_stderr, accuracy_interval, mean_reward_stderr, mean_reward_interval } = metrics;
    const uncertainty = { accuracy_stderr, accuracy_interval, mean_reward_stderr, mean_reward_interval };
    expect(metrics.by_task).toEqual({
      QAEnv: { samples: 3, correct: 1, errors: 1, accuracy: 0.5, mean_reward: 0.5, ...uncertainty },
    });
  });

  test('letters make a confusion matrix of last trials; no letter counts as none', () => {
    const builder = new RunMetricsBuilder({ num_trials: 2 });
    const letters = (target_letter: string, predicted: string | null) => ({ target_letter, predicted });
    builder.add(row('s1', 0, 'no', letters('B', 'A')), []);
    builder.add(row('s1', 1, 'yes', letters('B', 'B')), []);
    builder.add(row('s2', 0, 'no', letters('B', 'A')), []);
    builder.add(row('s3', 0, 'no', letters('A', null)), []);
    builder.add(row('s4', 0, 'timeout'), []);
    const { confusion } = builder.finish({ ...FACTS, environment: 'MCQEnv' }).by_task.MCQEnv as {
      confusion: object;
    };
    expect(JSON.stringify(confusion)).toBe('{"A":{"none":1},"B":{"A":1,"B":1}}');
  });
});

test('what is named like a part of every object is counted like anything else', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const builder = new RunMetricsBuilder({ num_trials: 1 });
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
  const { early_stop_on_success: _stop, environment: _class, ...facts } = FACTS;
  expect(metricsOf(['yes'])).toMatchObject({ kind: 'run', ...facts });
  expect(metricsOf(['yes'])).not.toHaveProperty('num_trials');
});
