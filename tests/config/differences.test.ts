import { describe, expect, test } from 'vitest';
import {
  configDifferences,
  type Difference,
  differencesIn,
  unexpectedDifferences,
} from '../../src/config/differences.js';
import type { PaceFields } from '../../src/config/pacing.js';

const PACE: PaceFields = {
  concurrency: 'runtime.concurrency',
  fixed: ['limits', 'models.*.timeout_sec', 'output.log_level'],
  free: ['name'],
};

test('two configs differ in the fields that affect results, each with both values', () => {
  const baseline = {
    name: 'a',
    runtime: { concurrency: 1, num_trials: 2 },
    models: { writer: { model: 'x', timeout_sec: 1 } },
    dataset: { items: [{ q: 1 }], shuffle: false },
    limits: { max_lm_calls: 1 },
    seed: 0,
  };
  const other = {
    name: 'b',
    runtime: { concurrency: 9, num_trials: 3 },
    models: { writer: { model: 'y', timeout_sec: 2 }, judge: { model: 'z' } },
    dataset: { items: [{ q: 2 }], shuffle: false, split: 'test', hf_name: null },
    limits: {},
    output: { log_level: 'DEBUG' },
    seed: 1,
  };
  expect(configDifferences(baseline, other, PACE)).toEqual([
    { field: 'runtime.num_trials', baseline: 2, other: 3 },
    { field: 'models.writer.model', baseline: 'x', other: 'y' },
    { field: 'models.judge', other: { model: 'z' } },
    { field: 'dataset.items', baseline: [{ q: 1 }], other: [{ q: 2 }] },
    { field: 'dataset.split', other: 'test' },
    { field: 'seed', baseline: 0, other: 1 },
    { field: 'output', other: {} },
  ]);
  expect(configDifferences(baseline, baseline, PACE)).toEqual([]);
});

describe('a difference that was not to be expected', () => {
  const differ = (...fields: string[]): Difference[] =>
    fields.map((field) => ({ field, baseline: 1, other: 2 }));
  test.each<[string, Difference[], string[], string[]]>([
    ['nothing differs', [], [], []],
    ['each field is one', differ('lm.temperature', 'seed'), [], ['lm.temperature', 'seed']],
    ['a model and its provider are one', differ('lm.provider', 'lm.model'), [], ['lm.model']],
    [
      'a provider alone is one',
      differ('lm.provider', 'models.user.model'),
      [],
      ['lm.provider', 'models.user.model'],
    ],
    ['a named field is none', differ('lm.temperature', 'seed'), ['seed'], ['lm.temperature']],
    ['a named section is none', differ('lm.temperature', 'lm.model', 'lms'), ['lm'], ['lms']],
    [
      'fields of another type of agent are none',
      [
        ...differ('agent.type'),
        { field: 'agent.mode', other: 'x' },
        { field: 'agent.history_k', baseline: 1 },
      ],
      [],
      ['agent.type'],
    ],
    [
      'nor where the type is what is named',
      [...differ('memory._type'), { field: 'memory.max_length', baseline: 1 }],
      ['memory._type'],
      [],
    ],
    [
      'a field that one adds beside another change is one',
      [...differ('lm.temperature'), { field: 'lm.thinking_budget', other: 0 }],
      [],
      ['lm.temperature', 'lm.thinking_budget'],
    ],
    [
      'a field that one adds to the same section is one',
      [{ field: 'agent.mode', other: 'x' }],
      [],
      ['agent.mode'],
    ],
    [
      'a field at the top that one adds is one',
      [...differ('seed'), { field: 'max_samples', other: 3 }],
      [],
      ['seed', 'max_samples'],
    ],
  ])('%s', (_name, differences, expected, counted) => {
    expect(unexpectedDifferences(differences, expected)).toEqual(counted);
  });
});

test('null means the same as absent', () => {
  expect(differencesIn({ a: null, b: 0 }, { b: false })).toEqual([{ field: 'b', baseline: 0, other: false }]);
});
