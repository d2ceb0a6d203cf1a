import { describe, expect, test } from 'vitest';
import { configOf } from '../../src/activities/prepare-run.js';
import { refusal } from '../support/configs.js';

describe('a run’s config on the worker', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ set: 'seed=3' }, 'set', 'set: is a list of texts such as "runtime.num_trials=3"'],
    [{ set: [3] }, 'set', 'set: is a list of texts'],
    [{ sett: [] }, 'sett', 'unknown field beside config_path (allowed: set, name, results_dir)'],
    [{}, '', 'there is no such file'],
  ])('with %j beside its path is refused by %j: %s', (beside, field, message) => {
    const error = refusal(() => configOf({ config_path: 'no-such.yaml', ...beside } as never, 'id'));
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(error.field).toBe(field);
  });
});
