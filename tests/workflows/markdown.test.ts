import { describe, expect, test } from 'vitest';
import type { EvolveProgress } from '../../src/contracts/evolve-results.js';
import type { Progress } from '../../src/contracts/run.js';
import { noEvolveTotals } from '../../src/evolution/totals.js';
import { noTotals } from '../../src/runtime/totals.js';
import { evolveMarkdown, iterationMarkdown } from '../../src/workflows/evolve-markdown.js';
import { progressMarkdown } from '../../src/workflows/progress-markdown.js';

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

const HEAD = ['', '| | |', '| --- | --- |'];
const END = ['| artifacts | `file:///results/desk` |', '| note | a \\| b c |'];

describe('what the Temporal UI shows', () => {
  test.each<[string, string, string, string[], string[]]>([
    [
      'a run',
      progressMarkdown(run, null),
      '### desk',
      ['| phase | failed |', '| accuracy | – |', '| LM calls | 4 (1 repeated) |', '| cost | $0.0000 |'],
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
  ])('of %s is a table of what it came to', (_, markdown, title, rows, end) => {
    const lines = markdown.split('\n');
    expect(lines.slice(0, 4)).toEqual([title, ...HEAD]);
    expect(lines).toEqual(expect.arrayContaining(rows));
    expect(lines.slice(-end.length)).toEqual(end);
  });

  test('of an iteration is its scaffolds, and what they cost', () => {
    expect(iterationMarkdown(2, [], evolution.totals).split('\n')).toEqual([
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
    const lines = evolveMarkdown({ ...evolution, best: null, artifacts: '', message: null });
    expect(lines).toContain('| best | – |');
    expect(lines).not.toMatch(/artifacts|note/);
  });
});
