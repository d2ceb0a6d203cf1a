import { describe, expect, test } from 'vitest';
import { paceChange } from '../../src/config/pacing.js';
import { AGENT_EVAL_CONFIGS, RUN_CONFIGS } from '../../src/storage/experiment-folder.js';
import { configOf } from '../support/configs.js';
import { agentEvalConfigWith } from './agent-eval-support.js';

const SIDE_BY_SIDE = { runtime: { memory_scope: 'sample', concurrency: 10 } };
const begun = configOf(SIDE_BY_SIDE);

describe('a run in progress and a command', () => {
  test('of the same pace', () => {
    expect(RUN_CONFIGS.pace(begun, { ...begun, name: 'other' })).toEqual({ concurrency: null, fixed: null });
  });

  test('of another concurrency, which means nothing where samples go one after another', () => {
    const asked = configOf({ runtime: { memory_scope: 'sample', concurrency: 20 } });
    expect(RUN_CONFIGS.pace(begun, asked)).toEqual({ concurrency: 20, fixed: null });
    const oneByOne = { memory_scope: 'run' };
    const [one, other] = [
      configOf({ runtime: oneByOne }),
      configOf({ runtime: { ...oneByOne, concurrency: 20 } }),
    ];
    expect(RUN_CONFIGS.pace(one, other)).toEqual({ concurrency: null, fixed: null });
  });

  test.each([
    [{ limits: { max_lm_calls: 5 } }, { field: 'limits.max_lm_calls', was: null, asked: 5 }],
    [{ output: { log_level: 'DEBUG' } }, { field: 'output.log_level', was: 'INFO', asked: 'DEBUG' }],
    [
      { lm: { provider: 'simulated', timeout_sec: 7 } },
      { field: 'lm.timeout_sec', was: begun.lm.timeout_sec, asked: 7 },
    ],
  ])('with %j, which holds as it was begun', (sections, fixed) => {
    expect(RUN_CONFIGS.pace(begun, configOf({ ...SIDE_BY_SIDE, ...sections })).fixed).toEqual(fixed);
  });
});

test('an evaluation that names no present time has that of the one in progress', () => {
  const [one, other] = [agentEvalConfigWith({ now: '2026-03-02' }), agentEvalConfigWith({ concurrency: 3 })];
  expect(AGENT_EVAL_CONFIGS.pace(one, other)).toEqual({ concurrency: 3, fixed: null });
});

test('a section that one of the two does not have differs as a whole', () => {
  const options = { concurrency: 'evolution.concurrency', free: ['evolution.num_iterations'] } as const;
  const change = paceChange(
    { evolution: { concurrency: 2 }, executor: null },
    { evolution: { concurrency: 2, num_iterations: 9 }, executor: {} },
    options,
  );
  expect(change).toEqual({ concurrency: null, fixed: { field: 'executor', was: null, asked: {} } });
});
