import { describe, expect, it, test } from 'vitest';
import type { ExperimentProgress } from '../../src/contracts/progress.js';
import type { ExperimentMetrics } from '../../src/contracts/results.js';
import type { Fact } from '../../src/facts/fact.js';
import { factsOf, progressAtEnd } from '../../src/facts/kind-facts.js';
import { briefParts, factText, isLineFact, valueText } from '../../src/facts/text.js';
import type { SampleFigures } from '../../src/kinds/run/results.js';
import {
  ANY_FACTS,
  AT_END,
  IN_PROGRESS,
  JUDGE_METRICS,
  KINDS,
  type Kind,
  RUN_METRICS,
} from '../support/experiments.js';

/** Facts of one line by id, as text. */
function texts(facts: readonly Fact[]): Record<string, string> {
  return Object.fromEntries(facts.filter(isLineFact).map((fact) => [fact.id, factText(fact)]));
}

const going = (kind: Kind, more: Partial<ExperimentProgress> = {}) =>
  factsOf({ ...IN_PROGRESS[kind], ...more } as ExperimentProgress, ANY_FACTS);

const ended = (kind: Kind, more: Partial<ExperimentMetrics> = {}) =>
  factsOf(
    progressAtEnd({ artifacts: 's3://bucket/mine', metrics: { ...AT_END[kind], ...more } }, ANY_FACTS),
    ANY_FACTS,
  );

describe.each(KINDS)('the facts of an experiment: %s', (kind) => {
  it('begin with how it stands, and end with where it writes', () => {
    for (const facts of [going(kind), ended(kind)]) {
      expect(facts[0]).toMatchObject({ id: 'status', value: { kind: 'state' } });
      expect(facts.at(-1)).toMatchObject({ id: 'artifacts', value: { address: 's3://bucket/mine' } });
    }
  });

  it('have names of their own', () => {
    for (const facts of [going(kind), ended(kind)]) {
      const ids = facts.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it('say of one in progress how many units there are, what went wrong, and what it has spent and may', () => {
    const { noun, ended: done, planned } = IN_PROGRESS[kind].units;
    const of = `${done} of ${planned}`;
    const facts = going(kind);
    expect(texts(facts)).toMatchObject({
      status: 'running',
      [`${noun}s`]: expect.stringContaining(of),
      errors: '1, could not be judged: in no rate',
      lm_calls: '31',
      tokens: '1000, 200 out',
      cost_usd: '$0.5000',
      limits: 'at most $2.0000, 300 LM calls',
      concurrency: '5',
    });
    const [type] = Object.keys(IN_PROGRESS[kind].errors_by_type);
    expect(facts).toContainEqual(
      expect.objectContaining({ label: 'errors by type', value: { kind: 'lines', lines: [`1 ${type}`] } }),
    );
    expect(briefParts(facts)).toEqual(
      expect.arrayContaining([`${of} ${noun}s`, '31 LM calls', '$0.5000', '1 error']),
    );
  });

  it('say the figures of metrics.json at its end', () => {
    expect(texts(ended(kind))).toMatchObject({
      status: 'done',
      errors: expect.stringMatching(new RegExp(`^${AT_END[kind].errors}\\b`)),
      lm_calls: '33, 2 repeated after a crash',
      cost_usd: '$0.1235',
      wall_seconds: '61.0 s',
    });
  });

  it('say what was unusual', () => {
    const facts = ended(kind, {
      status: 'limit_reached',
      status_message: 'all spent',
      simulated: true,
      cost_usd: null,
      lm_calls_estimated: 3,
      lm_calls_maybe_repeated: 4,
      unrecorded: { requests: 3, usage: { input_tokens: 30, output_tokens: 60 }, cost_usd: 0.25 },
      usage: { input_tokens: 1, output_tokens: 5, reasoning_tokens: 4 },
      cut_off: 3,
      lm_calls_cut_off: 3,
      cut_off_reasoning_tokens: 60,
      adaptations: { 'lm.temperature 1 is left out: why': 2 },
      errors_by_type: { timeout: 3 },
      error_causes: [{ type: 'timeout', message: 'no answer\nin 60 s', count: 2 }],
    });
    expect(texts(facts)).toMatchObject({
      status: 'limit_reached: all spent',
      [Object.keys(IN_PROGRESS[kind].models)[0] as string]: expect.stringMatching(
        /, a simulation: no benchmark figure$/,
      ),
      lm_calls: '33, 2 repeated after a crash, 4 that may have been, 3 with estimated tokens',
      tokens: '1, 5 out (4 reasoning)',
      cost_usd: 'unknown, no price for this model',
      unrecorded: '3, at most 30 tokens in, 60 out and $0.2500',
      lm_calls_cut_off: '3, at their token limit (max_output_tokens); 60 of their tokens were reasoning',
    });
    const lines = facts.flatMap(({ id, value }) => (value.kind === 'lines' ? [[id, value.lines]] : []));
    expect(Object.fromEntries(lines)).toMatchObject({
      error_causes: ['2 timeout: no answer in 60 s', '1 timeout: of other causes'],
      adaptations: ['lm.temperature 1 is left out: why (2 calls)'],
    });
  });

  it('estimate no time for units that have all ended', () => {
    const { units } = IN_PROGRESS[kind];
    const pace = { units_per_second: 2, seconds_left: 26 };
    expect(texts(going(kind, { pace })).pace).toMatch(/, 26 s left$/);
    const allEnded = { ...units, ended: units.planned };
    expect(texts(going(kind, { pace, units: allEnded }))).not.toHaveProperty('pace');
  });

  it('are left out where nothing is known', () => {
    const facts = texts(going(kind, { artifacts: '', limits: null, models: {} }));
    expect(facts).not.toHaveProperty('artifacts');
    expect(facts).not.toHaveProperty('limits');
    expect(facts).not.toHaveProperty(Object.keys(IN_PROGRESS[kind].models)[0] as string);
  });

  it('are JSON', () => {
    for (const facts of [going(kind), ended(kind)]) expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  });

  it('come from an answer that has the same keys while it works and at its end', () => {
    const frame = ({ models, units, ...progress }: ExperimentProgress) => ({
      keys: Object.keys(progress)
        .filter((key) => !['nodes', 'lines', 'line_count', 'means'].includes(key))
        .sort(),
      models: Object.keys(models),
      noun: units.noun,
    });
    const atEnd = progressAtEnd({ artifacts: '', metrics: AT_END[kind] }, ANY_FACTS);
    expect(frame(atEnd)).toEqual(frame(IN_PROGRESS[kind]));
    expect(atEnd).toMatchObject({ kind, phase: 'done', errors: AT_END[kind].errors, metrics: AT_END[kind] });
  });
});

test.each<[Kind, Record<string, string>]>([
  ['run', { samples: '21 of 80, 40 episodes', accuracy: '75.0 %, 15 of 20 judged samples' }],
  [
    'agent-eval',
    {
      rollouts: '12 of 20, 8 running',
      mean_reward: '0.5833',
      user_faults: '2, no failures: in no rate',
      tool_calls: '20, 2 failed',
      user: 'openai/u',
    },
  ],
  [
    'evolve',
    {
      iterations: '2 of 4, iteration 2 in progress',
      best_score: '0.3333, validation, of scaffold 1-0',
      executions: '24, 2 failed',
      executor: 'none',
    },
  ],
  [
    'judge',
    {
      name: 'manners-fake-1',
      steps: '9 of 20, 2 running',
      'mean_score:helpful': '3.25',
      'mean_score:kind': '–',
      malformed_replies: '2',
    },
  ],
])('in progress, %s says of its own %j', (kind, expected) => {
  expect(texts(going(kind))).toMatchObject(expected);
});

test.each<[Kind, object, Record<string, string>]>([
  [
    'run',
    {},
    {
      samples: '10 of 10, 20 episodes',
      accuracy: '75.0 %, stderr 16.4 %, 95 % interval 37.5 % to 100.0 %, 6 of 8 judged samples',
      mean_over_trials: '62.5 %, stderr 13.0 %, 95 % interval 37.5 % to 87.5 %, 16 judged trials',
      mean_reward: '0.7, stderr 0.15, 95 % interval 0.4 to 0.95',
    },
  ],
  ['run', { accuracy: null, correct: 0, samples: 2 }, { accuracy: '–, 0 of 0 judged samples' }],
  [
    'run',
    { accuracy: 0.9995, accuracy_interval: [0.9985, 1] },
    { accuracy: '99.95 %, stderr 16.4 %, 95 % interval 99.9 % to 100.0 %, 6 of 8 judged samples' },
  ],
  [
    'run',
    { warnings: 2, first_warning: 'after step 1:\nblind' },
    { warnings: '2, the first: after step 1: blind' },
  ],
  ['run', { warnings: 2 }, { warnings: '2' }],
  [
    'run',
    {
      clustered_by: 'passage',
      scores: {
        polite: { samples: 8, mean: 0.25, stderr: 0.125, interval: [0, 0.5], is_share: true },
        words: { samples: 3, mean: 12.5, stderr: null, interval: null, is_share: false },
      },
    },
    {
      clustered_by: 'passage',
      'score:polite': '25.0 %, stderr 12.5 %, 95 % interval 0.0 % to 50.0 %',
      'score:words': '12.5, no interval, of 3 samples',
    },
  ],
  [
    'run',
    {
      mean_over_trials: undefined,
      mean_over_trials_stderr: undefined,
      mean_over_trials_interval: undefined,
    },
    { mean_over_trials: '–, a success ends the trials of its sample' },
  ],
  [
    'run',
    { mean_over_trials_stderr: null, mean_over_trials_interval: null },
    { mean_over_trials: '62.5 %, no interval, 16 judged trials' },
  ],
  [
    'run',
    { lm_calls_cached: 3 },
    { lm_calls: '33, 2 repeated after a crash, 3 from the cache, which cost nothing' },
  ],
  ['run', { code_executions: 4, code_executions_failed: 1 }, { code_executions: '4, 1 failed' }],
  ['run', { agent_metrics: { tool_uses: 4 } }, { 'agent_metric:tool_uses': '4' }],
  [
    'run',
    { embeddings: { texts: 3, input_tokens: 40, estimated: 1, cost_usd: 0.25 } },
    {
      texts_embedded: '3, 40 tokens, part of the totals, 1 request with estimated tokens',
      cost_of_embeddings: '$0.2500',
    },
  ],
  [
    'run',
    { code_changes: [{ at: '', episodes: 3, modules: ['own/agent.ts'] }] },
    { code_changes: 'own/agent.ts, after 3 of the episodes' },
  ],
  [
    'agent-eval',
    {},
    {
      user: 'none',
      rollouts: '8 of 8, 5 with a reward, of 2 rows',
      mean_reward: '0.6, stderr 0.2, 95 % interval 0.25 to 0.8333',
      user_faults: '2, 1 empty, 1 role swap, no failures: in no rate',
      endings: '4 user stop, 1 max turns',
    },
  ],
  [
    'agent-eval',
    { mean_reward: null, mean_reward_stderr: null, mean_reward_interval: null, endings: {} },
    { mean_reward: '–', endings: '–' },
  ],
  [
    'evolve',
    {},
    {
      iterations: '4 of 4, the first one included',
      best_score: '1, validation, of scaffold 1-0-0',
      test_score: '0.9877, of the same scaffold; no part in the choice',
      best_by_iteration: '0: –, 1: 0.1, 2: 0.45, 3: 1',
      scaffolds: '9, 1 failed',
      executions: '170, 2 failed',
      best_scaffold: 's3://bucket/mine/iterations/2/scaffolds/new/1-0-0/scaffold.py',
    },
  ],
  [
    'evolve',
    { scaffolds_failed: 0, scaffolds_unscored: 1, scaffolds_duplicate: 2 },
    { scaffolds: '9, 1 given up without a score, 2 duplicates' },
  ],
  [
    'evolve',
    {
      best: {
        ...{ id: '1-0-0', iteration: 2, score: 0.5, path: 'a/scaffold.py', test_score: null },
        ...{ metrics: { cases_passed: 8 }, metrics_of: { runs: 5, of: 10 } },
      },
    },
    { 'best_metric:cases_passed': '8, of the same scaffold, 5 of 10 runs' },
  ],
  ['evolve', { best: null }, { best_score: '–, nothing was validated' }],
  [
    'judge',
    {},
    {
      rubric: 'manners, rewards shown',
      steps: '5 of 6, 4 judged, of 3 trajectories',
      'mean_score:helpful': '3.5, stderr 0.75, 95 % interval 2 to 4.5, of 1 to 5',
      'mean_score:polite': '–, of 0 to 1',
      success_rate:
        '75.0 %, stderr 25.0 %, 95 % interval 25.0 % to 100.0 %, 3 of 4 trajectories judged as a whole',
      malformed_replies: '2',
    },
  ],
])('at its end, %s with %j says of its own %j', (kind, metrics, expected) => {
  expect(texts(ended(kind, metrics))).toMatchObject(expected);
});

/** The cells of a table among the facts at the end, as text. */
function cellsOf(metrics: object, id: string, kind: Kind = 'run'): string[][] | undefined {
  const fact = ended(kind, metrics).find((one) => one.id === id);
  if (fact?.value.kind !== 'table') return undefined;
  return [[...fact.value.head], ...fact.value.rows.map((row) => row.map(valueText))];
}

test('success by trial stands in a table, each share with its standard error and interval', () => {
  expect(cellsOf({}, 'success_by_trial')).toEqual([
    ['trial', 'success', 'stderr', '95 % interval', 'correct'],
    ['1', '50.0 %', '18.9 %', '12.5 % to 87.5 %', '4'],
    ['2', '75.0 %', '16.4 %', '37.5 % to 100.0 %', '6'],
  ]);
});

test('epochs of a run are named, and what they are reduced to is a table, with ties', () => {
  const reducers = {
    mean: { samples: 5, mean: 0.75, stderr: 0.1, interval: [0.5, 1] },
    mode: { samples: 4, mean: null, stderr: null, interval: null, ties: 2 },
  };
  expect(cellsOf({ epochs: 2, reducers }, 'reducers')).toEqual([
    ['over epochs', 'samples', 'accuracy', 'stderr', '95 % interval'],
    ['mean', '5', '75.0 %', '10.0 %', '50.0 % to 100.0 %'],
    ['mode', '4', '–', '–', '–'],
  ]);
  expect(ended('run', { reducers } as object).find(({ id }) => id === 'reducers')?.value).toMatchObject({
    notes: ['mode: of 2 samples, several answers were the most frequent; the first seen counts.'],
  });
  expect(texts(ended('run', { epochs: 2 } as object)).samples).toBe(
    '10 of 10, 20 episodes, 2 epochs of each',
  );
  expect(cellsOf({}, 'reducers')).toBeUndefined();
  expect(cellsOf({ score_reducers: { polite: reducers } }, 'score_reducers')).toEqual([
    ['score', 'over epochs', 'samples', 'share', 'stderr', '95 % interval'],
    ['polite', 'mean', '5', '75.0 %', '10.0 %', '50.0 % to 100.0 %'],
    ['polite', 'mode', '4', '–', '–', '–'],
  ]);
  expect(cellsOf({}, 'score_reducers')).toBeUndefined();
});

test('the metrics of an earlier version are shown without what they do not have', () => {
  const { success_by_trial_stderr: _stderr, success_by_trial_interval: _interval, ...earlier } = RUN_METRICS;
  const metrics = { ...earlier, accuracy_stderr: undefined, accuracy_interval: undefined };
  const facts = factsOf(progressAtEnd({ artifacts: '', metrics }, ANY_FACTS), ANY_FACTS);
  expect(texts(facts).accuracy).toBe('75.0 %, 6 of 8 judged samples');
  const table = facts.find(({ id }) => id === 'success_by_trial')?.value;
  expect(table).toMatchObject({ kind: 'table', rows: [{ 1: { rate: 0.5 }, 2: { rate: null } }, {}] });
});

describe('groups of a run', () => {
  const group = (samples: number, correct: number, more: Partial<SampleFigures> = {}): SampleFigures => ({
    samples,
    correct,
    errors: 0,
    accuracy: correct / samples,
    accuracy_stderr: null,
    accuracy_interval: null,
    mean_reward: correct / samples,
    mean_reward_stderr: null,
    mean_reward_interval: null,
    ...more,
  });

  test('are a table of the accuracy, with errors where there are some', () => {
    const certain = { accuracy_stderr: 0.25, accuracy_interval: [0.25, 1] as [number, number] };
    const by = { level: { 1: group(4, 3, certain), '(missing)': group(1, 0) } };
    expect(cellsOf({ by }, 'by:level')).toEqual([
      ['level', 'samples', 'accuracy', 'stderr', '95 % interval'],
      ['1', '4', '75.0 %', '25.0 %', '25.0 % to 100.0 %'],
      ['(missing)', '1', '0.0 %', '–', '–'],
    ]);
    const nothing = { errors: 2, accuracy: null, mean_reward: null };
    expect(cellsOf({ by: { level: { x: group(2, 0, nothing) } } }, 'by:level')).toEqual([
      ['level', 'samples', 'errors', 'accuracy', 'stderr', '95 % interval'],
      ['x', '2', '2', '–', '–', '–'],
    ]);
    expect(cellsOf({ by }, 'mean_reward_by:level')).toBeUndefined();
  });

  test('have a table of the mean reward where that is another figure', () => {
    const rewarded = { mean_reward: 0.4, mean_reward_stderr: 0.1, mean_reward_interval: [0.2, 0.6] };
    const by = { level: { easy: group(4, 3, rewarded as Partial<SampleFigures>) } };
    expect(cellsOf({ by }, 'mean_reward_by:level')).toEqual([
      ['level', 'samples', 'mean reward', 'stderr', '95 % interval'],
      ['easy', '4', '0.4', '0.1', '0.2 to 0.6'],
    ]);
  });

  test('are the twenty with the most samples, in their order, and one row for all others', () => {
    const names = Array.from({ length: 30 }, (_, index) => `group ${String(index).padStart(2, '0')}`);
    const groups = Object.fromEntries(names.map((name, index) => [name, group(index < 10 ? 1 : 2, 1)]));
    const by_others = { topic: { groups: 5, samples: 10, correct: 0, errors: 10 } };
    const cells = cellsOf({ by: { topic: groups }, by_others }, 'by:topic');
    expect(cells?.slice(1, -1).map(([name]) => name)).toEqual(names.slice(10));
    // Ten groups of one right sample, and those that the metrics do not list.
    expect(cells?.at(-1)).toEqual(['15 others', '20', '10', '100.0 %', '–', '–']);
  });
});

test('groups of an evaluation are a table of the mean reward, of the twenty with the most rollouts', () => {
  const group = (rollouts: number) => ({
    ...{ rows: 1, rollouts, errors: 0, successes: 1, mean_reward: 0.5 },
    ...{ mean_reward_stderr: 0.25, mean_reward_interval: [0, 1] },
  });
  const topics = Object.fromEntries(
    Array.from({ length: 22 }, (_, index) => [`t${index}`, group(index + 1)]),
  );
  const cells = cellsOf({ by: { topic: topics }, clustered_by: 'passage' }, 'by:topic', 'agent-eval');
  expect(cells).toHaveLength(21);
  expect(cells?.slice(0, 2)).toEqual([
    ['topic', 'rollouts', 'mean reward', 'stderr', '95 % interval'],
    ['t2', '3', '0.5', '0.25', '0 to 1'],
  ]);
  const facts = ended('agent-eval', { by: { topic: topics }, clustered_by: 'passage' } as object);
  expect(facts.find(({ id }) => id === 'by:topic')?.value).toMatchObject({
    notes: ['Without 2 others with 3 rollouts.'],
  });
  expect(texts(facts).clustered_by).toBe('passage');
});

test('a run says which trial its figures are of, and nothing of trials where there is one', () => {
  const labels = (metrics: object) => ended('run', metrics).map(({ label }) => label);
  expect(labels({})).toEqual(
    expect.arrayContaining(['accuracy (last trial)', 'mean reward (last trial)', 'success by trial']),
  );
  expect(labels({ accuracy_of: 'any_trial' })).toEqual(
    expect.arrayContaining(['accuracy (any trial)', 'success by trial (any so far)']),
  );
  expect(labels({ accuracy_of: 'only_trial', success_by_trial: [0.5] }).join()).not.toContain('trial');
});

test('what has no rows is no table, and what nobody names is no fact', () => {
  const ids = (kind: Kind, metrics: object) => ended(kind, metrics).map(({ id }) => id);
  expect(ids('agent-eval', { pass_at_k: [], reward_metrics: {}, by_row: {} })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(pass|reward_metrics|by_row)$/)]),
  );
  expect(ids('judge', { episodes_judged: 0 })).not.toContain('success_rate');
  expect(ids('evolve', { best: null })).not.toContain('best_scaffold');
});

test('counts of errors by type are those of the metrics, and what is no error is counted by its causes', () => {
  const error_causes = [
    { type: 'scaffold_failed', message: 'no program', count: 2 },
    { type: 'scaffold_failed', message: 'a loop', count: 1 },
  ];
  expect(ended('evolve', { error_causes }).find(({ id }) => id === 'error_causes')?.value).toEqual({
    kind: 'lines',
    lines: ['2 scaffold_failed: no program', '1 scaffold_failed: a loop'],
  });
});

test('of one line for all is what matters most', () => {
  expect(briefParts(going('agent-eval', { errors: 0, spending: { ...RUN_METRICS, cost_usd: 0 } }))).toEqual([
    '12 of 20 rollouts',
    'mean reward 0.5833',
    'spoiled by the user 2',
    '33 LM calls',
  ]);
  expect(briefParts(going('judge', { spending: { ...JUDGE_METRICS, lm_calls: 1, cost_usd: null } }))).toEqual(
    [
      '9 of 20 steps',
      'mean helpful 3.25',
      'mean kind –',
      'malformed replies 2',
      '1 error',
      '1 LM call',
      'cost unknown',
    ],
  );
});
