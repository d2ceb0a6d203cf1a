import { describe, expect, test } from 'vitest';
import { tableFacts } from '../../src/facts/fact.js';
import { spendingFacts } from '../../src/facts/frame.js';
import { factsOf, progressAtEnd } from '../../src/facts/kind-facts.js';
import { factText, isLineFact } from '../../src/facts/text.js';
import { rolloutFacts } from '../../src/kinds/agent-eval/facts.js';
import { noRolloutTotals } from '../../src/kinds/agent-eval/rollouts/totals.js';
import { iterationFacts } from '../../src/kinds/evolve/facts.js';
import { markdown } from '../../src/workflows/markdown.js';
import { ANY_FACTS, AT_END, EVOLUTION, IN_PROGRESS, KINDS, node } from '../support/experiments.js';

const ROLLOUT = { row: 'r1', rollout: 1, place: null, totals: noRolloutTotals(), waiting: false };

describe.each(KINDS)('what the Temporal UI shows of an experiment: %s', (kind) => {
  test('is a table of its facts', () => {
    const facts = factsOf(IN_PROGRESS[kind], ANY_FACTS);
    const rows = facts.filter(isLineFact).filter(({ value }) => value.kind !== 'address');
    const text = markdown('mine', facts);
    expect(text.split('\n').slice(0, 4)).toEqual(['### mine', '', '| | |', '| --- | --- |']);
    for (const fact of rows) {
      const escaped = factText(fact).replaceAll(/[_|]/g, '\\$&');
      expect(text).toContain(`\n| ${fact.label.replaceAll('_', '\\_')} | ${escaped} |`);
    }
    expect(text).toContain('\n| artifacts | `s3://bucket/mine` |');
  });

  test('has at its end what each cause of errors said first', () => {
    const error_causes = [{ type: 'timeout', message: 'no answer\nin 60 s | [x](y)', count: 2 }];
    const metrics = { ...AT_END[kind], errors_by_type: { timeout: 2, other: 1 }, error_causes };
    expect(
      markdown('mine', factsOf(progressAtEnd({ artifacts: '', metrics }, ANY_FACTS), ANY_FACTS)),
    ).toContain(
      [
        '\n| errors by cause, each with its first message | 2 timeout: no answer in 60 s \\| \\[x\\](y) |',
        '|  | 1 other |',
      ].join('\n'),
    );
  });

  test('makes nothing of what others have written', () => {
    const hostile =
      '![x](http://evil.invalid/?k=1) [click](javascript:0) <img src=x> www.evil.invalid `code` **b** a | b\n# c\x1b[2J';
    const shown =
      '!\\[x\\](http\\://evil.invalid/?k=1) \\[click\\](javascript:0) \\<img src=x\\> www\\.evil.invalid \\`code\\` \\*\\*b\\*\\* a \\| b # c␛\\[2J';
    const progress = { ...IN_PROGRESS[kind], message: hostile, models: { judge: hostile }, artifacts: '' };
    const text = markdown(hostile, factsOf(progress, ANY_FACTS));
    expect(text.split(shown)).toHaveLength(4);
    expect(text).not.toMatch(/(?<!\\)(?:[[\]<>]|:\/\/)|(?!\n)\p{Cc}/u);
  });

  test('has addresses in type of one width, whatever is in them', () => {
    expect(
      markdown('mine', factsOf({ ...IN_PROGRESS[kind], artifacts: 'file:///a`|<b>' }, ANY_FACTS)),
    ).toContain("| artifacts | `file:///a'\\|<b>` |");
  });
});

test('tables stand below, with what is known of their figures', () => {
  const text = markdown(
    'mine',
    factsOf(progressAtEnd({ artifacts: '', metrics: AT_END['agent-eval'] }, ANY_FACTS), ANY_FACTS),
  );
  expect(text).toContain(
    [
      '',
      '**pass@k and pass^k**',
      '',
      '| k | pass@k | pass^k | rows |',
      '| --- | --- | --- | --- |',
      '| 1 | 60.0 % | 60.0 % | 2 |',
    ].join('\n'),
  );
  expect(text).toContain('\n\nWarning: the rows have 2 to 3 judged rollouts.\n');
});

test('of a long table the first hundred rows are shown, of one that grows the last', () => {
  const nodes = Array.from({ length: 103 }, (_, number) => node(String(number), 0));
  const text = markdown('mine', factsOf({ ...EVOLUTION, nodes } as typeof EVOLUTION, ANY_FACTS));
  expect(text).toMatch(/\| 0 \| 102 \| .*\n\nand 3 before them$/);
  expect(text).not.toContain('| 0 | 2 |');
  const rows = Array.from({ length: 101 }, (_, count) => [{ kind: 'count' as const, count }]);
  const long = markdown('mine', tableFacts('long', { head: ['n'], rows }));
  expect(long).toMatch(/\| 99 \|\n\nand 1 more$/);
});

test('of an iteration its scaffolds are shown, and what they cost', () => {
  const totals = {
    executions: 6,
    executions_failed: 2,
    lm_calls: 1,
    usage: EVOLUTION.spending.usage,
    cost_usd: null,
  };
  const text = markdown('Iteration 2', [...iterationFacts([node('0', 0)], totals), ...spendingFacts(totals)]);
  expect(text.split('\n')).toEqual([
    '### Iteration 2',
    '',
    '| | |',
    '| --- | --- |',
    '| executions | 6, 2 failed |',
    '| LM calls | 1 |',
    '| tokens in | 1000, 200 out |',
    '| cost | unknown, no price for this model |',
    '',
    '**scaffolds**',
    '',
    '| iteration | scaffold | parent | train | valid | cost |',
    '| --- | --- | --- | --- | --- | --- |',
    '| 0 | 0 | – | – | – | – |',
  ]);
});

test.each<[object, string[]]>([
  [{}, ['| status | running |', '| tool calls | 0, 0 failed |', '| cost | $0.0000 |']],
  [
    { status: 'error', error: { type: 'GoalError', message: 'a | b\nc' } },
    ['| status | error |', '| error | GoalError: a \\| b c |'],
  ],
  [{ status: 'done', ending: 'user_stop', score: 0.5 }, ['| ended by | user\\_stop |', '| reward | 0.5 |']],
])('of a rollout that came to %j: %j', (ended, rows) => {
  expect(markdown('r1, rollout 2', rolloutFacts(ROLLOUT, ended)).split('\n')).toEqual(
    expect.arrayContaining(['### r1, rollout 2', ...rows]),
  );
});

test('of a rollout that waits for a person it is said how to answer', () => {
  expect(markdown('', rolloutFacts({ ...ROLLOUT, waiting: true }, {}))).toContain(
    '| status | running: waits for a person: reprise reply |',
  );
});
