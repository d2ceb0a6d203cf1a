import { describe, expect, test } from 'vitest';
import { agentEvalConfigOf } from '../../src/activities/agent-eval/agent-eval-config.js';
import { configReference } from '../../src/activities/config-reference.js';
import { evolveConfigOf } from '../../src/activities/evolve/evolve-config.js';
import { configOf } from '../../src/activities/prepare-run.js';
import { refusal } from '../support/configs.js';

describe('a run’s config on the worker', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ set: 'seed=3' }, 'set', 'set: is a list of texts such as "runtime.num_trials=3"'],
    [{ set: { a: 1 } }, 'set', 'set: is a list of texts'],
    [{ set: [3] }, 'set', 'set: is a list of texts'],
    [{ sett: [] }, 'sett', 'unknown field beside config_path (allowed: set, name, results_dir)'],
    [{ name: 3 }, 'name', 'name: is the run’s name, a text'],
    [{ results_dir: {} }, 'results_dir', 'results_dir: is a folder, a text'],
    [{ config_path: 3 }, 'config_path', 'config_path: is the path of a config, a text'],
    [{ name: 3, sett: 1 }, 'name', 'sett: unknown field beside config_path'],
    [{}, '', 'there is no such file'],
  ])('with %j beside its path is refused by %j: %s', (beside, field, message) => {
    const error = refusal(() => configOf({ config_path: 'no-such.yaml', ...beside } as never, 'id'));
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(error.field).toBe(field);
  });
});

test('an evaluation and an evolution are read so, too', async () => {
  const input = { config_path: 'no-such.yaml', name: 3 };
  expect(refusal(() => agentEvalConfigOf(input)).field).toBe('name');
  const evolve = evolveConfigOf({ ...input, fork: null }, 'id', () => {
    throw new Error('no store is asked for');
  });
  await expect(evolve).rejects.toMatchObject({ field: 'name' });
});

test('what is null says nothing', () => {
  const example = 'seed=3';
  const nothing = { path: 'a.yaml', options: { overrides: [] } };
  const fields = { set: null, name: null, results_dir: null };
  expect(configReference({ config_path: 'a.yaml', ...fields }, { example })).toEqual(nothing);
  const further = { example, further: ['fork'] };
  expect(configReference({ config_path: null, fork: {} }, further)).toEqual({ ...nothing, path: null });
  expect(configReference({}, further)).toEqual({ ...nothing, path: null });
});
