import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isByUnit } from '../../../src/kinds/run/grain.js';
import { configOf } from '../../support/configs.js';

const OWN = { agent: { type: 'own', file: resolve('examples/own-agent/majority-agent.ts') } };

describe('workers run bundles of samples', () => {
  test.each([
    ['where there are many', {}, 200, true],
    ['not where there are few', {}, 199, false],
    ['as the config says', { runtime: { grain: 'unit' } }, 1, true],
    ['not where the config says call', { runtime: { grain: 'call' } }, 5000, false],
    ['not where samples share a memory', { runtime: { memory_scope: 'run' } }, 5000, false],
    ['where calls are limited', { limits: { max_lm_calls: 6000 } }, 5000, true],
    ['where an agent is a user’s', OWN, 1, true],
  ])('%s: %j, %d samples', (_, sections, slots, expected) => {
    expect(isByUnit(configOf(sections), slots)).toBe(expected);
  });

  test('always where an agent is a user’s', () => {
    const asked = () => configOf({ runtime: { grain: 'call' }, ...OWN });
    expect(asked).toThrow("runtime.grain: an agent of your own runs in a worker's threads");
  });
});
