import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/contracts/run.js';
import { noTotals } from '../../src/runtime/totals.js';
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
  ])('of %s is a table of what it came to', (_, markdown, title, rows, end) => {
    const lines = markdown.split('\n');
    expect(lines.slice(0, 4)).toEqual([title, ...HEAD]);
    expect(lines).toEqual(expect.arrayContaining(rows));
    expect(lines.slice(-end.length)).toEqual(end);
  });
});
