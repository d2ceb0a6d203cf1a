import { describe, expect, test } from 'vitest';
import type { AgentEvalProgress } from '../../src/contracts/agent-eval-results.js';
import type { EvolveProgress } from '../../src/contracts/evolve-results.js';
import type { JudgeProgress } from '../../src/contracts/judge.js';
import type { Metrics } from '../../src/contracts/results.js';
import type { Progress } from '../../src/contracts/run.js';
import { noEvolveTotals } from '../../src/evolution/totals.js';
import { noJudgeTotals } from '../../src/judging/totals.js';
import { noAgentEvalTotals, noRolloutTotals } from '../../src/rollouts/totals.js';
import { noTotals } from '../../src/runtime/totals.js';
import { agentEvalMarkdown } from '../../src/workflows/agent-eval-markdown.js';
import { evolveMarkdown, iterationMarkdown } from '../../src/workflows/evolve-markdown.js';
import { judgeMarkdown } from '../../src/workflows/judge-markdown.js';
import { progressMarkdown } from '../../src/workflows/progress-markdown.js';
import { rolloutMarkdown } from '../../src/workflows/rollout-markdown.js';

const MESSAGE = 'a | b\nc';
const common = {
  experiment: 'desk',
  phase: 'failed',
  artifacts: 'file:///results/desk',
  message: MESSAGE,
} as const;

const run: Progress = {
  ...common,
  samples_planned: 3,
  concurrency: 2,
  totals: { ...noTotals(), samples: 1, lm_calls: 4, lm_calls_repeated: 1 },
  accuracy: null,
  shards: [],
  simulated: false,
};

const evaluation: AgentEvalProgress = {
  ...common,
  kind: 'agent-eval',
  rollouts_planned: 4,
  running: 1,
  ended: 2,
  totals: { ...noAgentEvalTotals(), tool_calls: 5, tool_calls_failed: 1, cost_usd: null },
  mean_reward: 1 / 3,
  agent_model: 'openai/a',
  user_model: null,
  simulated: true,
  concurrency: 8,
};

const evolution: EvolveProgress = {
  ...common,
  kind: 'evolve',
  iteration: 1,
  num_iterations: 3,
  nodes: [],
  best: { id: '0-0', score: 0.5 },
  totals: { ...noEvolveTotals(), executions: 6, executions_failed: 2 },
  lines: [],
  line_count: 0,
};

const judgement: JudgeProgress = {
  ...common,
  kind: 'judge',
  name: 'clear',
  steps_planned: 3,
  running: 1,
  totals: { ...noJudgeTotals(), judged: 1 },
  mean_scores: { clear: 4, kind: null },
  model: 'openai/j',
  simulated: false,
  concurrency: 8,
};

const rollout = { row: 'r1', rollout: 1, place: null, totals: noRolloutTotals(), waiting: false };

const HEAD = ['', '| | |', '| --- | --- |'];
const END = ['| artifacts | `file:///results/desk` |', '| note | a \\| b c |'];

describe('what the Temporal UI shows', () => {
  const beside = {
    lm_calls_estimated: 2,
    unkept: { requests: 3, usage: { input_tokens: 30, output_tokens: 60 }, cost_usd: 0.25 },
  };
  test.each<[string, string]>([
    ['a run', progressMarkdown({ ...run, totals: { ...run.totals, ...beside } }, null)],
    [
      'an evaluation',
      agentEvalMarkdown({ ...evaluation, totals: { ...evaluation.totals, ...beside } }, null),
    ],
    ['an evolution', evolveMarkdown({ ...evolution, totals: { ...evolution.totals, ...beside } })],
    ['an iteration', iterationMarkdown('Iteration 1', [], { ...evolution.totals, ...beside })],
    ['a judgement', judgeMarkdown({ ...judgement, totals: { ...judgement.totals, ...beside } }, null)],
    ['a rollout', rolloutMarkdown({ ...rollout, totals: { ...rollout.totals, ...beside } }, {})],
  ])('says of %s what is estimated, and what was spent beside its replies', (_, text) => {
    expect(text).toMatch(/^\| LM calls \| .*, 2 with estimated tokens \|$/m);
    expect(text).toContain('| replies not kept | 3 requests, at most 30 tokens in, 60 out and $0.2500 |');
  });

  const errors = { timeout: 2 };
  const error_causes = [{ type: 'timeout', message: 'no answer\nin 60 s | [x](y)', count: 2 }];
  test.each<[string, string]>([
    ['a run', progressMarkdown(run, { success_by_trial: [], error_types: errors, error_causes } as never)],
    ['an evaluation', agentEvalMarkdown(evaluation, { errors_by_type: errors, error_causes } as never)],
    ['a judgement', judgeMarkdown(judgement, { errors_by_type: errors, error_causes } as never)],
  ])('says of %s that has ended what each cause of errors said first', (_, text) => {
    expect(text).toContain('|  | 2 timeout: no answer in 60 s \\| \\[x\\](y) |');
  });

  test('says of a run that has ended what its first warning is', () => {
    const ended = {
      success_by_trial: [],
      error_types: {},
      warnings: 2,
      first_warning: 'after step 1:\nblind',
    };
    expect(progressMarkdown(run, ended as never)).toContain(
      '| warnings | 2, the first: after step 1: blind |\n| episodes |',
    );
  });

  test('says of a run what its config means', () => {
    const text = progressMarkdown(
      { ...run, means: ['One by one.', 'Each prompt shows its question.'] },
      null,
    );
    expect(text).toContain('| order | One by one. |\n| prompts | Each prompt shows its question. |');
    expect(progressMarkdown(run, null)).not.toContain('| prompts |');
  });

  test('says of a run which trial its figures are of, while it works and at its end', () => {
    expect(progressMarkdown({ ...run, accuracy_of: 'last_trial' }, null)).toMatch(
      /\| correct \(last trial\) \| 0 \|\n\| accuracy \(last trial\) \|/,
    );
    expect(progressMarkdown(run, null)).toContain('| accuracy |');
    const metrics = {
      warnings: 0,
      success_by_trial: [0.5, 1],
      accuracy_of: 'last_trial',
      mean_over_trials: 0.75,
      mean_over_trials_interval: [0.5, 1],
      trials_judged: 4,
      in_words: ['One by one.', 'Each prompt shows its question.', 'Each sample is tried twice.'],
    } as unknown as Metrics;
    expect(progressMarkdown({ ...run, accuracy_of: 'last_trial' }, metrics)).toContain(
      [
        '| success by trial | trial 1: 50.0 %, trial 2: 100.0 % |',
        '| mean over trials | 75.0 % (95 % interval 50.0 % to 100.0 %; 4 judged trials) |',
        '| order | One by one. |',
        '| prompts | Each prompt shows its question. |',
        '| trials | Each sample is tried twice. |',
      ].join('\n'),
    );
  });

  test.each<[string, string, string, string[], string[]]>([
    [
      'a run',
      progressMarkdown(run, null),
      '### desk',
      [
        '| phase | failed |',
        '| accuracy | – |',
        '| LM calls | 4, 1 repeated after a crash |',
        '| cost | $0.0000 |',
      ],
      END,
    ],
    [
      'an evaluation',
      agentEvalMarkdown(evaluation, null),
      '### desk',
      [
        '| rollouts | 2 of 4, 1 running |',
        '| mean reward | 0.3333 |',
        '| agent | openai/a (a simulation: no benchmark figure) |',
        '| user | none |',
        '| tool calls | 5, 1 failed |',
        '| cost | unknown |',
      ],
      END,
    ],
    [
      'an evolution',
      evolveMarkdown(evolution),
      '### desk',
      [
        '| iteration | 1 of 3 |',
        '| best | 0-0 with 0.5 |',
        '| executions | 6, 2 failed |',
        '| LM calls | 0 |',
      ],
      [
        ...END,
        '',
        '| scaffold | parent | made in | status | train | valid | cost |',
        '| --- | --- | --- | --- | --- | --- | --- |',
      ],
    ],
    [
      'a judgement',
      judgeMarkdown(judgement, null),
      '### desk: clear',
      [
        '| steps | 1 of 3 judged, 1 in progress |',
        '| mean clear | 4 |',
        '| mean kind | – |',
        '| judge | openai/j |',
      ],
      END,
    ],
    [
      'a rollout',
      rolloutMarkdown(rollout, {
        status: 'error',
        ending: null,
        score: null,
        error: { type: 'GoalError', message: MESSAGE },
      }),
      '### r1, rollout 2',
      ['| state | error |', '| error | GoalError: a \\| b c |', '| tool calls | 0, 0 failed |'],
      ['| cost | $0.0000 |'],
    ],
  ])('of %s is a table of what it came to', (_, markdown, title, rows, end) => {
    const lines = markdown.split('\n');
    expect(lines.slice(0, 4)).toEqual([title, ...HEAD]);
    expect(lines).toEqual(expect.arrayContaining(rows));
    expect(lines.slice(-end.length)).toEqual(end);
  });

  test('of an iteration is its scaffolds, and what they cost', () => {
    expect(iterationMarkdown('Iteration 2', [], evolution.totals).split('\n')).toEqual([
      '### Iteration 2',
      '',
      '| scaffold | parent | made in | status | train | valid | cost |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '',
      '| so far | |',
      '| --- | --- |',
      '| executions | 6, 2 failed |',
      '| LM calls | 0 |',
      '| cost | $0.0000 |',
    ]);
  });

  test('leaves out what is not known', () => {
    const evolved = evolveMarkdown({ ...evolution, best: null, artifacts: '', message: null });
    expect(evolved).toContain('| best | – |');
    expect(evolved).not.toMatch(/artifacts|note/);
    const evaluated = agentEvalMarkdown(
      { ...evaluation, artifacts: '', message: null, mean_reward: null },
      null,
    );
    expect(evaluated).toContain('| mean reward | – |');
    expect(evaluated).not.toMatch(/artifacts|note/);
  });

  test('makes nothing of what others have written', () => {
    const hostile =
      '![x](http://evil.invalid/?k=1) [click](javascript:0) <img src=x> www.evil.invalid `code` **b** a | b\n# c\x1b[2J';
    const texts = [
      progressMarkdown({ ...run, experiment: hostile, message: hostile, means: [hostile, hostile] }, null),
      agentEvalMarkdown({ ...evaluation, agent_model: hostile, user_model: hostile, message: hostile }, null),
      evolveMarkdown({ ...evolution, message: hostile }),
      judgeMarkdown({ ...judgement, mean_scores: { [hostile]: 1 }, model: hostile, message: hostile }, null),
      rolloutMarkdown(
        { ...rollout, row: hostile },
        { status: 'error', error: { type: 'server', message: hostile } },
      ),
    ];
    const shown =
      '!\\[x\\](http\\://evil.invalid/?k=1) \\[click\\](javascript:0) \\<img src=x\\> www\\.evil.invalid \\`code\\` \\*\\*b\\*\\* a \\| b # c␛\\[2J';
    for (const text of texts) {
      expect(text).toContain(shown);
      expect(text).not.toMatch(/(?<!\\)(?:[[\]<>]|:\/\/(?!\/results))|(?!\n)\p{Cc}/u);
    }
  });

  test('an address stands in type of one width, whatever is in it', () => {
    expect(progressMarkdown({ ...run, artifacts: 'file:///a`|<b>' }, null)).toContain(
      "| artifacts | `file:///a'\\|<b>` |",
    );
  });
});
