import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { byUnitText } from '../../../src/facts/text.js';
import { whyByUnit } from '../../../src/kinds/run/grain.js';
import { configOf } from '../../support/configs.js';

const OWN = { agent: { type: 'own', file: resolve('examples/own-agent/majority-agent.ts') } };

describe('workers run bundles of samples', () => {
  test.each([
    ['where there are many', {}, 200, 'there are 200'],
    ['not where there are few', {}, 199, null],
    ['as the config says', { runtime: { grain: 'unit' } }, 1, 'the config says so'],
    ['not where the config says call', { runtime: { grain: 'call' } }, 5000, null],
    ['not where samples share a memory', { runtime: { memory_scope: 'run' } }, 5000, null],
    ['where calls are limited', { limits: { max_lm_calls: 6000 } }, 5000, 'there are 5000'],
    ['where an agent is a user’s', OWN, 1, 'code of your own answers'],
  ])('%s: %j, %d samples', (_, sections, slots, expected) => {
    expect(whyByUnit(configOf(sections), slots)).toBe(expected);
    expect(byUnitText('samples', 'there are 200')).toBe(
      'Workers run bundles of samples, since there are 200: single calls are no steps of the workflow (grain: unit).',
    );
  });

  test('always where an agent is a user’s', () => {
    const asked = () => configOf({ runtime: { grain: 'call' }, ...OWN });
    expect(asked).toThrow("runtime.grain: an agent of your own runs in a worker's threads");
  });
});
