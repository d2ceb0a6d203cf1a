import { expect, test } from 'vitest';
import { judgeReport, judgeStanding, judgeSummary } from '../../src/cli/judge-format.js';
import type { JudgeMetrics, JudgeProgress } from '../../src/contracts/judge.js';
import { noJudgeTotals } from '../../src/judging/totals.js';

function progressWith(fields: Partial<JudgeProgress> = {}, totals = {}): JudgeProgress {
  return {
    kind: 'judge',
    experiment: 'toy',
    name: 'manners-fake-1',
    phase: 'running',
    steps_planned: 20,
    running: 2,
    totals: { ...noJudgeTotals(), ...totals },
    mean_scores: { helpful: null },
    model: 'openai/fake',
    simulated: false,
    concurrency: 8,
    artifacts: 's3://bucket/toy/judged/manners-fake-1',
    message: null,
    ...fields,
  };
}

test('a judgement in progress is told in a line', () => {
  expect(judgeSummary(progressWith())).toBe('0 of 20 steps judged · helpful –');
  const later = progressWith(
    { mean_scores: { helpful: 3.25 }, phase: 'limit_reached', message: 'limits.max_tokens: all used' },
    { judged: 8, errors: 1, malformed: 2, cost_usd: 0.5 },
  );
  expect(judgeSummary(later)).toBe(
    '8 of 20 steps judged · helpful 3.25 · 1 error · 2 malformed replies · $0.5000 · limit_reached: limits.max_tokens: all used',
  );
  expect(judgeStanding(later)).toContain('Judge: openai/fake, steps at once: 8\nArtifacts: s3://bucket/toy');
  expect(judgeSummary(progressWith({}, { cost_usd: null }))).toContain('cost unknown');
});

test('the result has the means with their ranges, and errors apart from them', () => {
  const metrics = {
    status: 'limit_reached',
    status_message: 'limits.max_lm_calls: 9 of 9 calls are made',
    model: 'simulated/x',
    simulated: true,
    rubric: 'manners',
    show_reward: true,
    trajectories: 3,
    steps_planned: 6,
    steps: 4,
    scores: {
      helpful: { mean: 3.5, interval: [2, 4.5], range: [1, 5] },
      polite: { mean: null, interval: null, range: [0, 1] },
    },
    episodes_judged: 4,
    episodes_succeeded: 3,
    success_rate: 0.75,
    success_rate_interval: [0.25, 1],
    errors: 1,
    errors_by_type: { timeout: 1 },
    error_causes: [{ type: 'timeout', message: 'no answer in 60 s', count: 1 }],
    malformed_replies: 2,
    lm_calls: 9,
    lm_calls_repeated: 0,
    usage: { input_tokens: 10, output_tokens: 5 },
    cost_usd: null,
    wall_seconds: 3,
  } as unknown as JudgeMetrics;
  const told = judgeReport({ artifacts: 's3://bucket/x', metrics });
  for (const part of [
    /limit_reached \(limits\.max_lm_calls: 9 of 9 calls are made\)/,
    /a simulation: no figure/,
    /manners, rewards shown/,
    /4 of 6, of 3 trajectories/,
    /mean helpful +│ 3\.5 \(1 to 5\), 95 % interval 2 to 4\.5/,
    /successes +│ 3 of 4 trajectories judged as a whole: 75\.0 %, 95 % interval 25\.0 % to 100\.0 %/,
    /mean polite +│ – \(0 to 1\)/,
    /1, no scores/,
    /\n {2}1 timeout: no answer in 60 s\n/,
    /malformed replies +│ 2 /,
    /Artifacts: s3:\/\/bucket\/x$/,
  ]) {
    expect(told).toMatch(part);
  }
});
