import { describe, expect, test } from 'vitest';
import { exitOf, shareOf } from '../../src/cli/exit-code.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { ExperimentMetrics, RunStatus } from '../../src/contracts/results.js';
import type { AgentEvalMetrics } from '../../src/kinds/agent-eval/results.js';
import type { EvolveMetrics } from '../../src/kinds/evolve/results.js';
import type { JudgeMetrics } from '../../src/kinds/judge/contracts.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { ANY_FACTS } from '../support/experiments.js';

const run = (samples: number, errors: number, status: RunStatus = 'done') =>
  ({ kind: 'run', status, samples, errors }) as Metrics;

describe('a run', () => {
  test.each<[RunStatus, number]>([
    ['done', 0],
    ['incomplete', 3],
    ['limit_reached', 3],
    ['stopped', 3],
    ['failed', 1],
    ['cancelled', 1],
  ])('of which something was judged, and that ends as %s, exits with %i', (status, code) => {
    expect(exitOf(run(10, 1, status), ANY_FACTS)).toEqual({ code, why: null });
  });

  test.each<[RunStatus, number]>([
    ['done', 1],
    ['incomplete', 1],
    ['limit_reached', 3],
    ['stopped', 3],
  ])('of which nothing was judged, and that ends as %s, exits with %i', (status, code) => {
    const { code: exit, why } = exitOf(run(2, 2, status), ANY_FACTS);
    expect(exit).toBe(code);
    expect(why).toBe(code === 1 ? 'Nothing could be judged: no sample of 2 has a figure.' : null);
  });

  test.each<[share: number | null, status: RunStatus, code: number]>([
    [null, 'done', 0],
    [0.1, 'done', 0],
    [0.09, 'done', 1],
    [0, 'done', 1],
    [0.09, 'incomplete', 1],
    [0.1, 'incomplete', 3],
    [0.09, 'stopped', 1],
  ])('with a tenth of errors and --fail-on-error %s, ended as %s, exits with %i', (share, status, code) => {
    const exit = exitOf(run(60, 6, status), ANY_FACTS, share);
    expect(exit.code).toBe(code);
    if (code === 1) {
      expect(exit.why).toBe(
        `6 of 60 samples (10.0 %) could not be judged, more than --fail-on-error ${share}.`,
      );
    }
  });
});

test.each([
  // 0.29 · 100 is 28.999999999999996, and 0.7 / 100 is less than 0.007.
  [29, 100, '29%'],
  [7, 1000, '0.7%'],
])('%i errors of %i are not more than %s, and one more are', (errors, samples, share) => {
  expect(exitOf(run(samples, errors), ANY_FACTS, shareOf(share)).code).toBe(0);
  expect(exitOf(run(samples, errors + 1), ANY_FACTS, shareOf(share)).code).toBe(1);
});

test.each<[string, ExperimentMetrics]>([
  [
    'an evaluation whose user spoiled the rest',
    {
      kind: 'agent-eval',
      status: 'done',
      rollouts: 0,
      errors: 1,
      user_faults: { empty: 1 },
    } as unknown as AgentEvalMetrics,
  ],
  ['a judgement', { kind: 'judge', status: 'incomplete', steps: 0, errors: 4 } as JudgeMetrics],
  [
    'an evolution without a validated scaffold',
    { kind: 'evolve', status: 'done', best: null, executions: 2, scaffolds: 3 } as EvolveMetrics,
  ],
])('%s exits with 1 where nothing could be judged', (_, metrics) => {
  expect(exitOf(metrics, ANY_FACTS).code).toBe(1);
  expect(exitOf(metrics, ANY_FACTS).why).toMatch(
    /^Nothing could be judged: no (rollout|step|scaffold) of [234] has a figure\.$/,
  );
});

test.each([
  // Validated after the last iteration, of which there may be none but the first.
  ['validated at the end alone', { id: '0', iteration: 1, score: 0, path: 'p', test_score: null }, 2],
  // Without final_validation.
  ['made, as was asked for, and not validated', null, 0],
])('an evolution whose scaffolds are %s exits with 0', (_, best, executions) => {
  const fields = { num_iterations: 0, best_by_iteration: [null], scaffolds: 3, scaffolds_failed: 0 };
  const metrics = { kind: 'evolve', status: 'done', scaffolds_unscored: 0, ...fields, best, executions };
  expect(exitOf(metrics as unknown as EvolveMetrics, ANY_FACTS)).toEqual({ code: 0, why: null });
});

test.each<[ExperimentMetrics, number]>([
  [
    {
      kind: 'agent-eval',
      status: 'done',
      rollouts: 7,
      errors: 2,
      user_faults: { empty: 1 },
    } as unknown as AgentEvalMetrics,
    0.2,
  ],
  [{ kind: 'judge', status: 'done', steps: 8, errors: 2 } as JudgeMetrics, 0.2],
  [
    {
      kind: 'evolve',
      status: 'done',
      best: { id: '0', iteration: 1, score: 0.5, path: 'p', test_score: null },
      executions: 9,
      scaffolds: 10,
      scaffolds_failed: 3,
      scaffolds_unscored: 2,
    } as EvolveMetrics,
    0.2,
  ],
])('the share of errors of every kind is of all that was gone through', (metrics, share) => {
  expect(exitOf(metrics, ANY_FACTS, share).code).toBe(0);
  expect(exitOf(metrics, ANY_FACTS, share - 0.01).code).toBe(1);
});

test.each<[string | undefined, number | null]>([
  [undefined, null],
  ['0', 0],
  ['.25', 0.25],
  ['0.05', 0.05],
  ['5%', 0.05],
  ['100%', 1],
  ['1', 1],
])('--fail-on-error %s is the share %s', (text, share) => {
  expect(shareOf(text)).toBe(share);
});

test.each(['5', '101%', '-0.1', 'none', '', '0.1x', '1e-2'])('--fail-on-error %j is refused', (text) => {
  expect(() => shareOf(text)).toThrow(InvalidInputError);
  expect(() => shareOf(text)).toThrow(
    /^--fail-on-error: .* is no share; give one from 0 to 1, or from 0% to 100%$/,
  );
});

test('a command that does not stay to the end has no use for it', () => {
  expect(() => shareOf('0.1', true)).toThrow('it cannot stand beside --detach');
});
