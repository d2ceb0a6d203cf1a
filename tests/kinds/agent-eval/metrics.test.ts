import { describe, expect, test } from 'vitest';
import type { RolloutRow } from '../../../src/kinds/agent-eval/contracts.js';
import { agentEvalMetrics } from '../../../src/kinds/agent-eval/metrics.js';
import { AGENT_EVAL_FACTS, noCalls, rolloutRow } from '../../support/rollout-rows.js';

const metricsOf = (rows: RolloutRow[], fields: Partial<typeof AGENT_EVAL_FACTS> = {}) =>
  agentEvalMetrics({ ...AGENT_EVAL_FACTS, ...fields }, rows, noCalls());

describe('the metrics of an evaluation', () => {
  test('are rates over the judged rollouts of each row, up to as many as are planned', () => {
    const metrics = metricsOf([
      rolloutRow('a', 0, 1),
      rolloutRow('a', 1, 0.5),
      rolloutRow('a', 2, 1),
      rolloutRow('b', 0, 0),
      rolloutRow('b', 1, 1),
    ]);
    expect(metrics).toMatchObject({ rows: 2, rollouts_planned: 6, rollouts: 5, errors: 0, mean_reward: 0.7 });
    // Of a two of three succeed, of b one of two.
    expect(metrics.pass_at_k[0]).toBeCloseTo((2 / 3 + 1 / 2) / 2);
    expect(metrics.pass_hat_k[0]).toBeCloseTo((2 / 3 + 1 / 2) / 2);
    expect(metrics.pass_at_k[1]).toBeCloseTo(1);
    expect(metrics.pass_hat_k[1]).toBeCloseTo((1 / 3 + 0) / 2);
    expect([metrics.pass_at_k[2], metrics.pass_hat_k[2]]).toEqual([1, 0]);
    const [lower, upper] = metrics.mean_reward_interval ?? [Number.NaN, Number.NaN];
    expect(lower).toBeCloseTo(0.5);
    expect(upper).toBeCloseTo(2.5 / 3);
    expect(metrics.by_row).toEqual({
      a: { rollouts: 3, mean_reward: 2.5 / 3, successes: 2 },
      b: { rollouts: 2, mean_reward: 0.5, successes: 1 },
    });
  });

  test('say over how many rows each k is, and warn where rows have different numbers of judged rollouts', () => {
    const rows = [
      ...[1, 1, 1, 1].map((reward, trial) => rolloutRow('a', trial, reward)),
      ...[0, 1].map((reward, trial) => rolloutRow('b', trial, reward)),
    ];
    const planned = ['a', 'b'].map((row) => ({ row, n_rollouts: 4 }));
    const uneven = metricsOf(rows, { planned });
    expect(uneven.pass_hat_k).toEqual([0.75, 0.5, 1, 1]);
    expect(uneven.pass_rows).toEqual([2, 2, 1, 1]);
    expect(uneven.pass_warning).toMatch(/^the rows have 2 to 4 judged rollouts: .*pass\^k may rise/);
    const even = metricsOf(
      rows.filter(({ trial }) => trial < 2),
      { planned },
    );
    expect(even).toMatchObject({ pass_rows: [2, 2, 0, 0], pass_hat_k: [0.75, 0.5, null, null] });
    expect(even).not.toHaveProperty('pass_warning');
  });

  test('have the mean of each named metric of the reward, over the rollouts that have it', () => {
    const named = (metrics: Record<string, number>) => ({
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, score]) => [name, { score, reason: '' }]),
      ),
    });
    const { reward_metrics } = metricsOf([
      rolloutRow('a', 0, 1, named({ polite: 1, constructor: 1 })),
      rolloutRow('a', 1, 1, named({ polite: 0.5 })),
      rolloutRow('b', 0, 0, named({ polite: 0, huge: 1e308 })),
      rolloutRow('b', 1, 0, named({ huge: 1e308 })),
      rolloutRow('b', 2, null, { status: 'error', ...named({ polite: 9 }) }),
    ]);
    expect(Object.keys(reward_metrics)).toEqual(['constructor', 'huge', 'polite']);
    // Rows a and b: sums 1.5 of two and 0 of one, so deviations of 0.5 each from the mean of 0.5.
    expect(reward_metrics.polite).toEqual({ rollouts: 3, mean: 0.5, stderr: 1 / 3, interval: [0, 0.75] });
    expect(reward_metrics.constructor).toEqual({ rollouts: 1, mean: 1, stderr: null, interval: null });
    expect(reward_metrics.huge).toMatchObject({ rollouts: 2, interval: null });
    expect((reward_metrics.huge?.mean ?? 0) / 1e308).toBeCloseTo(1, 12);
  });

  test('warn of tool calls that the server of the agent left as text', () => {
    const asText = (tool_calls_as_text: number) => ({ tool_calls_as_text });
    const rows = [rolloutRow('a', 0, 0, asText(3)), rolloutRow('a', 1, 1), rolloutRow('b', 0, 0, asText(1))];
    expect(metricsOf(rows).figure_warnings).toEqual([
      expect.stringMatching(/^models.agent: replies hold a tool call as text, .*\(4, in 2 of 3 rollouts\)/),
    ]);
    expect(metricsOf(rows.slice(1, 2))).not.toHaveProperty('figure_warnings');
  });

  describe('by fields of the metadata', () => {
    const about = (topic: string | number | null, passage = 'p') => ({ metadata: { topic, passage } });
    const rows = [
      rolloutRow('a', 0, 1, about('refund')),
      rolloutRow('a', 1, 0, about('refund')),
      rolloutRow('b', 0, 1, about('refund', 'q')),
      rolloutRow('b', 1, null, {
        status: 'error',
        error: { type: 'timeout', message: '' },
        ...about('refund', 'q'),
      }),
      rolloutRow('c', 0, 0.25, about(7)),
      rolloutRow('d', 0, 0, about(null, 'q')),
    ];

    test('groups have the figures of their rollouts, whose clusters are the rows', () => {
      const { by } = metricsOf(rows, { by: ['topic', 'nowhere'] });
      expect(Object.keys(by ?? {})).toEqual(['topic']);
      expect(Object.keys(by?.topic ?? {})).toEqual(['7', 'refund', '(missing)']);
      expect(by?.topic?.refund).toMatchObject({
        rows: 2,
        rollouts: 3,
        errors: 1,
        successes: 2,
        mean_reward: 2 / 3,
      });
      // Sums 1 of two and 1 of one: deviations of 1/3 from the mean of 2/3 a rollout.
      expect(by?.topic?.refund?.mean_reward_stderr).toBeCloseTo(Math.sqrt(2 * 2 * (1 / 9)) / 3, 12);
      expect(by?.topic?.['7']).toEqual({
        ...{ rows: 1, rollouts: 1, errors: 0, successes: 0, mean_reward: 0.25 },
        ...{ mean_reward_stderr: null, mean_reward_interval: null },
      });
    });

    test('rows that have a value in common are one cluster, and a field that no row has is a warning', () => {
      const clustered = metricsOf(rows, { cluster: 'passage', by: ['nowhere'] });
      expect(clustered).toMatchObject({
        clustered_by: 'passage',
        mean_reward: 0.45,
        figure_warnings: ['metrics.by: no row has nowhere in its metadata.'],
      });
      // Sums 1.25 of three and 1 of two: deviations of 0.1 from the mean of 0.45 a rollout.
      expect(clustered.mean_reward_stderr).toBeCloseTo(Math.sqrt(2 * 2 * 0.01) / 5, 12);
      const without = metricsOf(rows, { cluster: 'nowhere' });
      expect(without).not.toHaveProperty('clustered_by');
      expect(without).toMatchObject({
        mean_reward_stderr: metricsOf(rows).mean_reward_stderr,
        figure_warnings: [expect.stringMatching(/^metrics.cluster: no row has nowhere in its metadata/)],
      });
      expect(metricsOf([], { by: ['nowhere'], cluster: 'nowhere' })).not.toHaveProperty('figure_warnings');
    });
  });

  test('take no reward below 1 for a success, but for the rounding of sums', () => {
    const tenths = Array.from({ length: 10 }, () => 0.1).reduce((sum, tenth) => sum + tenth, 0);
    expect(tenths).toBeLessThan(1);
    const { by_row } = metricsOf([rolloutRow('a', 0, 0.9999999999), rolloutRow('b', 0, tenths)]);
    expect([by_row.a?.successes, by_row.b?.successes]).toEqual([0, 1]);
  });

  test('leave errors and spoiled rollouts out, and count them', () => {
    const metrics = metricsOf([
      rolloutRow('a', 0, 1),
      rolloutRow('a', 1, null, { status: 'error', ending: null, error: { type: 'timeout', message: '' } }),
      rolloutRow('b', 0, null, {
        status: 'user_fault',
        ending: 'user_fault',
        user_fault: 'empty',
        error: { type: 'user_fault', message: '' },
      }),
    ]);
    expect(metrics).toMatchObject({
      rollouts: 1,
      errors: 1,
      errors_by_type: { timeout: 1 },
      user_faults: { empty: 1, role_swap: 0, early_stop: 0 },
      endings: { user_stop: 1, user_fault: 1 },
      mean_reward: 1,
      mean_reward_stderr: null,
      mean_reward_interval: null,
      pass_at_k: [1, null, null],
      pass_hat_k: [1, null, null],
      by_row: { b: { rollouts: 0, mean_reward: null, successes: 0 } },
      tool_calls: 6,
    });
  });

  test('are there where nothing has ended', () => {
    expect(metricsOf([])).toMatchObject({
      rollouts: 0,
      mean_reward: null,
      pass_at_k: [null, null, null],
      endings: {},
      cost_usd: 0,
    });
  });

  test('take a reward for a success from where the config says', () => {
    const rows = [rolloutRow('a', 0, 0.5)];
    expect(metricsOf(rows).pass_at_k[0]).toBe(0);
    expect(metricsOf(rows, { success_reward: 0.5 }).pass_at_k[0]).toBe(1);
  });
});
