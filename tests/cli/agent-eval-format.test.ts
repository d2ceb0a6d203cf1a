import { describe, expect, test } from 'vitest';
import {
  agentEvalReport,
  agentEvalStanding,
  agentEvalSummary,
  agentEvalTable,
} from '../../src/cli/agent-eval-format.js';
import { EVALUATION_METRICS, evaluationProgress } from './agent-eval-support.js';

/** The cells of the row that begins with a name. */
function cells(table: string, name: string): string[] {
  const line = table.split('\n').find((one) => one.split('│')[1]?.trim() === name);
  return (line ?? '')
    .split('│')
    .map((cell) => cell.trim())
    .slice(2, -1);
}

describe('the line of an evaluation', () => {
  test.each([
    [evaluationProgress(), '0 of 20 rollouts, 0 running · mean reward –'],
    [
      evaluationProgress(
        { ended: 12, running: 8, mean_reward: 0.58333 },
        { errors: 1, user_faults: 2, cost_usd: 0.0123 },
      ),
      '12 of 20 rollouts, 8 running · mean reward 0.5833 · 1 error · 2 spoiled by the user · $0.0123',
    ],
    [
      evaluationProgress({ phase: 'limit_reached', message: 'limits.max_lm_calls: 5' }, { cost_usd: null }),
      '0 of 20 rollouts, 0 running · mean reward – · cost unknown · limit_reached: limits.max_lm_calls: 5',
    ],
  ])('%#', (progress, expected) => {
    expect(agentEvalSummary(progress)).toBe(expected);
  });
});

describe('the table of an evaluation', () => {
  const table = agentEvalTable(EVALUATION_METRICS);

  test.each([
    ['agent', 'openai/gpt-4o-mini'],
    ['rollouts', '5 of 8 with a reward, of 2 rows'],
    ['mean reward', '0.6, 95 % interval 0.25 to 0.8333'],
    ['errors', '1, not counted as failures'],
    ['spoiled by the user', '2 (1 empty, 1 role swap), not counted as failures'],
    ['endings', '4 user stop, 1 max turns'],
    ['tool calls', '20, 2 failed'],
    ['cost', '$0.0123'],
  ])('%s: %s', (name, value) => {
    expect(cells(table, name)).toEqual([value]);
  });

  test('says below it what each cause of errors said first', () => {
    const error_causes = [{ type: 'timeout', message: 'no answer in 60 s', count: 1 }];
    expect(agentEvalTable({ ...EVALUATION_METRICS, error_causes })).toContain(
      'Errors by cause, each with its first message:\n  1 timeout: no answer in 60 s\n',
    );
  });

  test('has pass@k and pass^k for every k, and the rows', () => {
    expect(cells(table, '1')).toEqual(['60.0 %', '60.0 %', '2']);
    expect(cells(table, '2')).toEqual(['90.0 %', '33.3 %', '2']);
    expect(cells(table, '3')).toEqual(['–', '–', '1']);
    expect(cells(table, 'flight.cancel.001')).toEqual(['3', '3', '1']);
    expect(cells(table, 'flight.cancel.002')).toEqual(['2', '0', '0']);
  });

  test('says what each figure is over, warns where rows differ, and has the means of the reward’s metrics', () => {
    expect(table).toContain('counts each rollout alike; pass@k and pass^k count each row alike');
    expect(table).toContain('Warning: the rows have 2 to 3 judged rollouts.');
    expect(cells(table, 'politeness')).toEqual(['4', '0.75, 95 % interval 0.5 to 1']);
  });

  test('of nothing but errors has neither rates nor an interval', () => {
    const none = agentEvalTable({
      ...EVALUATION_METRICS,
      rollouts: 0,
      mean_reward: null,
      mean_reward_interval: null,
      pass_at_k: [],
      pass_hat_k: [],
      by_row: {},
      endings: {},
    });
    expect(cells(none, 'mean reward')).toEqual(['–']);
    expect(cells(none, 'endings')).toEqual(['–']);
    expect(none).not.toContain('pass@k');
  });

  test('says of a simulation that it is none', () => {
    expect(cells(agentEvalTable({ ...EVALUATION_METRICS, simulated: true }), 'agent')[0]).toContain(
      'no benchmark figure',
    );
  });

  test('says which code changed while it was made', () => {
    const change = {
      at: '2026-03-02T10:00:00.000Z',
      rollouts: 3,
      modules: ['desk/reward.ts', 'desk/tools.ts'],
    };
    const changed = agentEvalTable({ ...EVALUATION_METRICS, code_changes: [change] });
    expect(cells(changed, 'changed meanwhile')).toEqual([
      'desk/reward.ts, desk/tools.ts, after 3 of the rollouts',
    ]);
    expect(table).not.toContain('changed meanwhile');
  });

  test('is followed by where the artifacts are', () => {
    const report = agentEvalReport({ artifacts: 's3://bucket/flight_task', metrics: EVALUATION_METRICS });
    expect(report).toBe(`${table}\nArtifacts: s3://bucket/flight_task`);
  });
});

test('an evaluation in progress is shown with who is in it', () => {
  const progress = evaluationProgress({ ended: 3, running: 2, mean_reward: 1, artifacts: 's3://bucket/x' });
  const text = agentEvalStanding({ ...progress, user_model: 'human' });
  expect(cells(text, '3 of 20').slice(0, 2)).toEqual(['2', '1']);
  expect(text).toContain('running\nAgent: openai/gpt-4o-mini, user: human\nAt once: 8\nArtifacts: s3://');
});
