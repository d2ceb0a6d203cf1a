import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isByUnit } from '../../../src/kinds/run/grain.js';
import { configOf } from '../../support/configs.js';

describe('workers run bundles of samples', () => {
  test.each([
    ['where there are many', {}, 200, true],
    ['not where there are few', {}, 199, false],
    ['as the config says', { runtime: { grain: 'unit' } }, 1, true],
    ['not where the config says call', { runtime: { grain: 'call' } }, 5000, false],
    ['not where samples share a memory', { runtime: { memory_scope: 'run' } }, 5000, false],
    ['not where calls are limited', { limits: { max_lm_calls: 6000 } }, 5000, false],
    ['not where dollars are limited', { limits: { max_cost_usd: 1 } }, 5000, false],
    ['where time alone is limited', { limits: { max_wall_seconds: 60 } }, 5000, true],
  ])('%s: %j, %d samples', (_, sections, slots, expected) => {
    expect(isByUnit(configOf(sections), slots)).toBe(expected);
  });

  test.each([
    [{ limits: { max_tokens: 5 } }, 'limits on calls, tokens or dollars'],
    [
      { agent: { type: 'own', file: resolve('examples/own-agent/majority-agent.ts') } },
      'an agent of your own',
    ],
  ])('but not where each call has to be looked at: %j', (sections, message) => {
    expect(() => configOf({ runtime: { grain: 'unit' }, ...sections })).toThrow(`runtime.grain: ${message}`);
  });
});
