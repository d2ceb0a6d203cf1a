import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import wrapAnsi from 'wrap-ansi';
import { addCompareCommand } from '../../src/cli/compare.js';
import type { Comparison } from '../../src/client/compare.js';
import type { TaskRow } from '../../src/contracts/results.js';
import { AIME } from '../support/aime-outcomes.js';
import { resultsFolder, writeExperiment } from '../support/compared-experiments.js';
import { rolloutRow } from '../support/rollout-rows.js';
import { row, taskRow } from '../support/rows.js';
import { inTerminal } from './in-terminal.js';
import { tableLines } from './table-lines.js';

const compare = inTerminal(addCompareCommand, 'compare');

/** Compares experiments below a folder; answers what is printed, and the same for machines. */
async function compared(results: string, ids: string[], ...options: string[]) {
  const words = [...ids, '--results-dir', results, ...options];
  const { code, out, said } = await compare(...words);
  const json = await compare(...words, '--json');
  expect([json.code, json.said]).toEqual([code, said]);
  expect(json.out).not.toMatch(/NaN|Infinity/);
  expect(out).not.toMatch(/NaN|Infinity|undefined|null/);
  for (const line of out.split('\n')) {
    // An address may be as long as it likes.
    if (!line.includes(results)) expect(wrapAnsi(line, 80, { hard: true, trim: false })).toBe(line);
  }
  return { code, out, said, json: JSON.parse(json.out) as Comparison };
}

/** Rows of samples, a letter a trial: `y` right, `n` wrong, `e` an error. */
function rows(
  outcomes: Record<string, string>,
  more: (id: string) => Partial<TaskRow> = () => ({}),
): TaskRow[] {
  const words: Record<string, string> = { y: 'yes', n: 'no', e: 'timeout' };
  return Object.entries(outcomes).flatMap(([id, letters]) =>
    [...letters].map((letter, trial) => ({
      ...taskRow(row(id, trial, words[letter] as string), { question: `Question ${id}` }),
      ...more(id),
    })),
  );
}

/** Two runs `a` and `b` of these rows. */
async function pair(a: readonly object[], b: readonly object[]): Promise<string> {
  const results = resultsFolder();
  await writeExperiment(results, 'a', { rows: a });
  await writeExperiment(results, 'b', { rows: b });
  return results;
}

const onlyComparison = ({ comparisons: [one] }: Comparison) => one as Comparison['comparisons'][number];

describe('two runs', () => {
  const aime = (column: 'baseline' | 'cheatsheet') =>
    rows(Object.fromEntries(AIME.map((sample) => [sample.id, sample[column] === 1 ? 'y' : 'n'])), () => ({
      extracted: column,
    }));

  test('have the figures of the recorded AIME runs, with every sample that changed', async () => {
    const results = await pair(aime('baseline'), aime('cheatsheet'));
    const { code, out, said, json } = await compared(results, ['a', 'b']);
    expect([code, said]).toEqual([0, '']);
    expect(tableLines(out)).toEqual(
      expect.arrayContaining([
        'samples: 30',
        'A, B: 23.3 %, 50.0 %',
        'difference: +26.7 points, 95 % interval 6.5 to 43.8',
        'right: both, A, B, none: 6, 1, 9, 14',
        'McNemar’s exact test: p = 0.021',
      ]),
    );
    expect(out).toContain('Newly right in B (9)');
    expect(out).toMatch(
      /Newly wrong in B \(1\):\n.*\n.*\n.*\n│ 2024-II-6 +│ Question 2024-II-6 +│ baseline +│ cheatsheet +│/,
    );
    expect(out).toContain('reward is the same as correct in every sample.');
    const [score, ...others] = onlyComparison(json).scores;
    expect(others).toEqual([]);
    // statsmodels 0.15.0 (mcnemar, Wilson's intervals in Newcombe's method), scipy 1.17.1 (sem).
    expect(score).toMatchObject({
      score: 'correct',
      trials: 'only',
      is_share: true,
      pairs: 30,
      difference: expect.closeTo(0.26666666666666666, 12),
      stderr: expect.closeTo(0.09509019714917902, 12),
      interval: {
        lower: expect.closeTo(0.06505104222640029, 10),
        upper: expect.closeTo(0.4382472754167953, 10),
        method: 'newcombe',
      },
      test: { method: 'mcnemar', p_value: expect.closeTo(0.021484375, 12) },
    });
    expect(score?.p_value_holm).toBeUndefined();
    expect(score?.changes.worse).toEqual([
      {
        id: '2024-II-6',
        question: 'Question 2024-II-6',
        baseline: { value: 1, answers: ['baseline'] },
        other: { value: 0, answers: ['cheatsheet'] },
      },
    ]);
  });

  test('show the last turn of a question that is a conversation', async () => {
    const asked = () => ({ question: 'User: What is 1 + 1?\n\nAssistant: 2\n\nUser: And 1 + 2?' });
    const { out } = await compared(await pair(rows({ s: 'y' }, asked), rows({ s: 'n' }, asked)), ['a', 'b']);
    expect(out).toMatch(/│ s +│ And 1 \+ 2\? +│/);
  });

  test('are found by id, by folder and by address', async () => {
    const results = await pair(rows({ s: 'y' }), rows({ s: 'n' }));
    const [a, b] = [join(results, 'a'), pathToFileURL(join(results, 'b')).href];
    const { json } = await compared(results, ['a', 'b']);
    expect((await compared('/nowhere', [a, `${b}/`])).json).toEqual(json);
    expect(json.experiments).toMatchObject([
      { letter: 'A', experiment: 'a', artifacts: pathToFileURL(a).href, kind: 'run', status: 'done' },
      { letter: 'B', experiment: 'b', artifacts: b },
    ]);
  });

  test('stand side by side with their calls, tokens, costs and seconds', async () => {
    const results = resultsFolder();
    const timed = (seconds: number) => rows({ s: 'yn', t: 'ye' }, () => ({ seconds }));
    await writeExperiment(results, 'a', { rows: timed(1.5), metrics: { cost_usd: 0.5, lm_calls: 12 } });
    await writeExperiment(results, 'b', { rows: timed(20), metrics: { cost_usd: null } });
    const { out, json } = await compared(results, ['a', 'b']);
    const lines = tableLines(out);
    expect(lines).toContain('A: 2: 1: 12: 1000: 200: $0.5000: 3.0');
    expect(lines).toContain('B: 2: 1: 33: 1000: 200: unknown: 40.0');
    expect(json.experiments[0]?.costs).toMatchObject({ cost_usd_per_sample: 0.25, seconds_of: 'rows' });
    expect(json.experiments[1]?.costs).toMatchObject({ cost_usd_per_sample: null, seconds_per_sample: 40 });
  });
});

describe('several trials of a sample', () => {
  test('are one sample: their means are paired, and the last trial is compared apart', async () => {
    const results = await pair(
      rows({ s: 'nnny', t: 'nnnn', u: 'yyyy', v: 'nene' }),
      rows({ s: 'yyyn', t: 'nnyy', u: 'yyyy', v: 'yy' }),
    );
    const { out, json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([
      {
        trials: 'mean',
        pairs: 4,
        baseline: (0.25 + 0 + 1 + 0) / 4,
        other: (0.75 + 0.5 + 1 + 1) / 4,
        better: 3,
        worse: 0,
        interval: { method: 'student_t' },
        test: { method: 'permutation', p_value: 0.25, draws: null },
      },
      // The last trial of v is an error in one of them.
      { trials: 'last', pairs: 3, not_judged: { baseline: 1, other: 0, both: 0 }, better: 1, worse: 1 },
    ]);
    expect(tableLines(out)).toEqual(
      expect.arrayContaining([
        'exact permutation test: p = 0.250',
        'samples: 3; left out: 1 not judged in A',
      ]),
    );
    expect(out).toMatch(/\ncorrect, mean over trials\n[\s\S]*\ncorrect, last trial\n/);
    expect(out).toMatch(/│ v +│ Question v +│ 0\.0 % +│ 100\.0 % +│/);
  });

  test('that end with a success are compared by the last one alone', async () => {
    const results = resultsFolder();
    const config = { runtime: { num_trials: 3, early_stop_on_success: true } };
    await writeExperiment(results, 'a', { config, rows: rows({ s: 'nnn', t: 'y' }) });
    await writeExperiment(results, 'b', { config, rows: rows({ s: 'nny', t: 'y' }) });
    const { json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([
      { trials: 'last', outcomes: { both: 1, baseline_only: 0, other_only: 1, neither: 0 } },
    ]);
  });
});

describe('epochs of a sample', () => {
  const inEpochs = (outcomes: Record<string, string>, trials = 1) =>
    rows(outcomes).map((row) => ({ ...row, epoch: Math.floor(row.trial / trials) }));

  test('are compared by their mean alone: none of them is the last one', async () => {
    const results = resultsFolder();
    const config = { runtime: { epochs: 3, memory_scope: 'sample' } };
    await writeExperiment(results, 'a', { config, rows: inEpochs({ s: 'nny', t: 'nnn', u: 'yyy' }) });
    await writeExperiment(results, 'b', { config, rows: inEpochs({ s: 'yyn', t: 'nyn', u: 'yyy' }) });
    const { out, json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([
      { trials: 'mean', pairs: 3, better: 2, worse: 0, test: { method: 'permutation' } },
    ]);
    expect(out).not.toMatch(/last trial|McNemar/);

    await writeExperiment(results, 'once', { rows: rows({ s: 'n', t: 'n', u: 'y' }) });
    const { json: mixed } = await compared(results, ['once', 'b']);
    expect(onlyComparison(mixed).scores).toMatchObject([{ trials: 'mean', pairs: 3, better: 2 }]);
  });

  test('with several trials each have a last one', async () => {
    const results = resultsFolder();
    const config = { runtime: { epochs: 2, num_trials: 2, memory_scope: 'sample' } };
    await writeExperiment(results, 'a', { config, rows: inEpochs({ s: 'nyyn', t: 'nnnn' }, 2) });
    await writeExperiment(results, 'b', { config, rows: inEpochs({ s: 'nyny', t: 'nnny' }, 2) });
    const { json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([
      { trials: 'mean', baseline: 0.25, other: 0.375 },
      { trials: 'last', baseline: 0.25, other: 0.75 },
    ]);
  });
});

describe('samples that make no pair', () => {
  test('are counted by the reason, and never as wrong', async () => {
    const results = await pair(
      rows({ s: 'y', t: 'e', u: 'y', v: 'e', only: 'y' }),
      rows({ s: 'n', t: 'y', u: 'e', v: 'e', more: 'y', other: 'n' }),
    );
    const { out, json } = await compared(results, ['a', 'b']);
    expect(tableLines(out).join(' ')).toContain(
      'samples: 1; left out: 1 in A only, 2 in B only, 1 not judged in A, 1 not judged in B, 1 judged in neither',
    );
    expect(onlyComparison(json)).toMatchObject({
      samples: { both: 4, baseline_only: 1, other_only: 2 },
      scores: [{ pairs: 1, not_judged: { baseline: 1, other: 1, both: 1 } }],
    });
    expect(out).toContain('Warning: the samples of A and B differ: 1 are in A only, 2 in B only.');
  });

  test.each<[string, TaskRow[], TaskRow[]]>([
    ['other samples', rows({ s: 'y' }), rows({ t: 'y' })],
    ['errors only', rows({ s: 'e', t: 'e' }), rows({ s: 'y', t: 'n' })],
    ['no rows', [], rows({ s: 'y' })],
    ['no rows in either', [], []],
  ])('%s: nothing can be compared, which is a failure', async (_name, a, b) => {
    const results = await pair(a, b);
    const { code, out } = await compared(results, ['a', 'b']);
    expect(code).toBe(1);
    expect(out).toMatch(/No sample (was judged|has a score) in both: nothing can be compared\./);
    const { code: gate, said } = await compared(results, ['a', 'b'], '--fail-if-worse', '1');
    expect([gate, said]).toEqual([1, expect.stringContaining('B (b): no sample has the score in both')]);
  });

  test('a single pair has a wide interval, and one of rewards none', async () => {
    const results = await pair(rows({ s: 'n' }), rows({ s: 'y' }));
    expect(tableLines((await compared(results, ['a', 'b'])).out)).toContain(
      'difference: +100.0 points, 95 % interval -12.2 to 100.0',
    );
    const graded = await pair(
      rows({ s: 'n' }, () => ({ reward: 0.25 })),
      rows({ s: 'n' }, () => ({ reward: 0.5 })),
    );
    const { out } = await compared(graded, ['a', 'b'], '--score', 'reward');
    expect(tableLines(out)).toContain('difference: +0.25, no interval, of one sample');
  });
});

test('samples that have a value of metrics.cluster in common are no independent evidence', async () => {
  const of = (letter: (index: number) => string) =>
    rows(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, letter(index)])),
      (id) => ({
        metadata: { passage: Math.floor(Number(id.slice(1)) / 10) },
      }),
    );
  const results = resultsFolder();
  const dataset = { items: [{ question: 'a', answer: 'b' }], meta_fields: ['passage'] };
  const config = { dataset, metrics: { cluster: 'passage' } };
  await writeExperiment(results, 'a', { rows: of(() => 'n'), config });
  await writeExperiment(results, 'b', { rows: of((index) => (index < 10 ? 'y' : 'n')), config: { dataset } });
  // Either config may name the field.
  for (const [one, other, change] of [
    ['a', 'b', 'right'],
    ['b', 'a', 'wrong'],
  ] as const) {
    const { out, json } = await compared(results, [one, other]);
    expect(onlyComparison(json)).toMatchObject({
      clustered_by: 'passage',
      scores: [{ pairs: 40, clusters: 4, outcomes: {}, test: { method: 'permutation', p_value: 1 } }],
    });
    expect(out).toContain('Intervals and p-values are clustered by passage (metrics.cluster).');
    expect(out).toContain(`Newly ${change} in B (10)`);
  }
});

test('experiments that are alike say so: in rows, in configs, and that the interval is no point', async () => {
  const outcomes = Object.fromEntries(AIME.map(({ id, baseline }) => [id, baseline === 1 ? 'y' : 'n']));
  const results = await pair(rows(outcomes), rows(outcomes));
  const { code, out } = await compared(results, ['a', 'b']);
  expect(code).toBe(0);
  expect(out).toContain('No sample has changed.');
  expect(out).toContain('The configs differ in nothing that affects results.');
  expect(tableLines(out)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^difference: 0\.0 points, 95 % interval -\d+\.\d to \d+\.\d$/),
      'McNemar’s exact test: p = 1.000',
    ]),
  );
  expect(out).not.toContain('Warning');
  const rewards = await pair(
    rows({ s: 'n', t: 'n' }, () => ({ reward: 0.5 })),
    rows({ s: 'n', t: 'n' }, () => ({ reward: 0.5 })),
  );
  expect(tableLines((await compared(rewards, ['a', 'b'], '--score', 'reward')).out)).toContain(
    'difference: 0, no interval: all differences are equal',
  );
});

describe('evaluations and kinds of one’s own', () => {
  test('of an agent are compared by reward, row by row, and by each named metric', async () => {
    const results = resultsFolder();
    const metrics = (score: number) => ({ metrics: { polite: { score, reason: '' } } });
    const fault = { status: 'user_fault' as const, ending: 'user_fault' as const };
    await writeExperiment(results, 'a', {
      kind: 'agent-eval',
      rows: [
        rolloutRow('r1', 0, 0, metrics(0.5)),
        rolloutRow('r1', 1, 1, metrics(0.5)),
        rolloutRow('r2', 0, 0, metrics(1)),
        rolloutRow('r3', 0, null, fault),
      ],
    });
    await writeExperiment(results, 'b', {
      kind: 'agent-eval',
      rows: [
        rolloutRow('r1', 0, 1, metrics(0.5)),
        rolloutRow('r1', 1, 1, metrics(1)),
        rolloutRow('r2', 0, 0.5, { ...metrics(0), reason: 'half of it' }),
        rolloutRow('r3', 0, 1, {}),
      ],
    });
    const { out, json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([
      { score: 'reward', trials: 'mean', pairs: 2, difference: 0.5, not_judged: { baseline: 1 } },
      { score: 'polite', trials: 'mean', pairs: 2, difference: -0.375 },
    ]);
    expect(
      onlyComparison(json).scores[0]?.changes.better.map(({ id, other }) => [id, other.answers]),
    ).toEqual([
      ['r1', ['', '']],
      ['r2', ['half of it']],
    ]);
    expect(tableLines(out)).toContain('A, B: 0.25, 0.75');
    expect(out).toMatch(/│ r1 +│ – +│ 0\.5 +│ 1 +│/);
  });

  const sample = (id: string, scores: object, more: object = {}) => ({
    id,
    question: `Question ${id}`,
    target: 't',
    answer: `answer of ${id}`,
    scores,
    error: null,
    lm_calls: 1,
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    ...more,
  });

  test('are compared by each score that both have, with the seconds of their calls', async () => {
    const results = resultsFolder();
    const failed = { error: { type: 'KindError', message: 'no' } };
    const calls = [400, 600].map((latency_ms) => JSON.stringify({ sample_id: 's', latency_ms })).join('\n');
    await writeExperiment(results, 'a', {
      kind: 'own-kind',
      rows: [sample('s', { correct: false, length: 3, old: 1 }), sample('t', {}, failed)],
      files: { 'calls.jsonl': calls },
    });
    await writeExperiment(results, 'b', {
      kind: 'own-kind',
      rows: [
        sample('s', { correct: true, length: 5, 'new one': 2 }),
        sample('t', { correct: true, length: 1 }),
      ],
    });
    const { out, json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json)).toMatchObject({
      scores: [
        {
          score: 'correct',
          is_share: true,
          pairs: 1,
          not_judged: { baseline: 1 },
          outcomes: { other_only: 1 },
        },
        { score: 'length', is_share: false, pairs: 1, difference: 2 },
      ],
      unpaired_scores: ['old', 'new one'],
    });
    expect(json.experiments[0]?.costs).toMatchObject({ seconds_per_sample: 0.5, seconds_of: 'calls' });
    expect(json.experiments[1]?.costs).toMatchObject({ seconds_per_sample: null, seconds_of: null });
    expect(out).toContain('Warning: only one of A and B has: old, new one.');
    expect(out).toMatch(/│ s +│ Question s +│ answer of s +│ answer of s +│/);
    const { json: one } = await compared(results, ['a', 'b'], '--score', 'length');
    expect(onlyComparison(one).scores.map(({ score }) => score)).toEqual(['length']);
  });

  test('of two kinds are compared by what they have in common, with a warning', async () => {
    const results = resultsFolder();
    await writeExperiment(results, 'a', { rows: rows({ s: 'n' }) });
    await writeExperiment(results, 'b', { kind: 'own-kind', rows: [sample('s', { correct: true })] });
    const { out, json } = await compared(results, ['a', 'b']);
    expect(onlyComparison(json).scores).toMatchObject([{ score: 'correct', outcomes: { other_only: 1 } }]);
    expect(out).toMatch(
      /Warning: A and B are of two kinds \(run, own-kind\), whose configs are not\s+compared\./,
    );
  });
});

describe('more than two', () => {
  test('are each compared with the first, and their p-values corrected by Holm’s method', async () => {
    const results = resultsFolder();
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const right = (count: number) =>
      rows(Object.fromEntries(ids.map((id, index) => [id, index < count ? 'y' : 'n'])));
    for (const [name, count] of [
      ['a', 0],
      ['b', 6],
      ['c', 8],
      ['d', 0],
    ] as const) {
      await writeExperiment(results, name, { rows: right(count) });
    }
    const { out, json } = await compared(results, ['a', 'b', 'c', 'd']);
    expect(json.corrected_for).toBe(3);
    const figures = json.comparisons.map(({ scores: [score] }) => [
      score?.test?.p_value,
      score?.p_value_holm,
    ]);
    expect(figures).toEqual([
      [expect.closeTo(2 / 64, 12), expect.closeTo(4 / 64, 12)],
      [expect.closeTo(2 / 256, 12), expect.closeTo(6 / 256, 12)],
      [1, 1],
    ]);
    expect(tableLines(out)).toContain('McNemar’s exact test: p = 0.063 (Holm), 0.031 alone');
    expect(out).toContain('corrected for 3 comparisons (Holm)');
    expect(out).toContain('C against A, paired by sample');
  });
});

describe('--by', () => {
  const levels = (id: string) => ({
    metadata: { level: Number(id.slice(1)) % 12, topic: id < 's2' ? '代数 and ␛' : ['x'] },
  });
  const many = (letters: string) =>
    rows(Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`s${index}`, letters])), levels);

  test('compares each value of a field, in the order of numbers, and those without it apart', async () => {
    const results = await pair([...many('n'), ...rows({ x: 'y' })], [...many('y'), ...rows({ x: 'n' })]);
    const { out, json } = await compared(results, ['a', 'b'], '--by', 'level', '--by', 'topic');
    const [score] = onlyComparison(json).scores;
    expect(score?.by.level?.map(({ group, pairs, difference }) => [group, pairs, difference])).toEqual([
      ...Array.from({ length: 12 }, (_, level) => [String(level), 2, 1]),
      [null, 1, -1],
    ]);
    expect(score?.by.topic?.map(({ group }) => group)).toEqual(['["x"]', '代数 and ␛', null]);
    expect(tableLines(out)).toEqual(
      expect.arrayContaining([
        'level: pairs: A: B: points [95 %]: p',
        '0: 2: 0.0 %: 100.0 %: +100.0 [7.0, 100.0]: 0.500',
        '(none): 1: 100.0 %: 0.0 %: -100.0 [-100.0, 12.2]: 1.000',
      ]),
    );
    expect(out).toContain('not corrected for several groups and scores');
  });

  test('lists twenty groups, or all', async () => {
    const numbered = (id: string) => ({ metadata: { id } });
    const outcomes = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`s${index}`, 'y']));
    const results = await pair(rows(outcomes, numbered), rows(outcomes, numbered));
    expect((await compared(results, ['a', 'b'], '--by', 'id')).out).toContain(
      '… and 5 more groups; --all lists all',
    );
    expect((await compared(results, ['a', 'b'], '--by', 'id', '--all')).out).not.toContain('more groups');
  });
});

test('lists ten changed samples, or all; the longest texts are cut', async () => {
  const outcomes = (letter: string) =>
    Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`sample-number-${index}`, letter]));
  const long = () => ({
    question: `${'长'.repeat(400)} ${'word '.repeat(400)}\u001b[2J`,
    action: 'x'.repeat(5_000),
  });
  const results = await pair(rows(outcomes('n'), long), rows(outcomes('y'), long));
  const { out } = await compared(results, ['a', 'b']);
  expect(out).toContain('Newly right in B (14)');
  expect(out).toContain('… and 4 more samples; --all lists all');
  expect((await compared(results, ['a', 'b'], '--all')).out).not.toContain('more samples');
});

describe('warnings', () => {
  /** Warnings of a comparison of two runs, on one line each. */
  async function warnings(a: object, b: object, ...options: string[]): Promise<string[]> {
    const results = resultsFolder();
    await writeExperiment(results, 'a', { rows: rows({ s: 'y', t: 'n' }), ...a });
    await writeExperiment(results, 'b', { rows: rows({ s: 'y', t: 'n' }), ...b });
    const { out } = await compared(results, ['a', 'b'], ...options);
    const [, ...found] = out.trim().replaceAll('\n', ' ').split('Warning: ');
    return found.map((text) => text.trim());
  }
  const lm = (more: object) => ({ config: { lm: { provider: 'simulated', ...more } } });

  test.each<[string, object, object, string[], string[]]>([
    ['one field', lm({}), lm({ temperature: 1 }), [], []],
    [
      'two fields',
      lm({}),
      lm({ temperature: 1, max_output_tokens: 7 }),
      [],
      [
        expect.stringContaining(
          'A and B differ in 2 (lm.temperature, lm.max_output_tokens), so the figures may',
        ),
      ],
    ],
    ['what is named', lm({}), lm({ temperature: 1, max_output_tokens: 7 }), ['--vary', 'lm'], []],
    [
      'what is named by its role',
      lm({}),
      lm({ temperature: 1, max_output_tokens: 7 }),
      ['--vary', 'models.agent.temperature', '--vary', 'models.agent.max_output_tokens'],
      [],
    ],
    [
      'more than what is named',
      lm({}),
      { config: { lm: { provider: 'simulated', temperature: 1 }, seed: 7 } },
      ['--vary', 'lm.temperature'],
      ['A and B also differ in 1 (seed).'],
    ],
    [
      'names, places and pace',
      { config: { runtime: { concurrency: 3 }, limits: { max_lm_calls: 9 } } },
      { config: { lm: { provider: 'simulated', timeout_sec: 9 }, output: { log_level: 'DEBUG' } } },
      [],
      [],
    ],
    [
      'code of one’s own',
      {
        files: {
          'code.json': JSON.stringify({ modules: { '/x/agent.ts': '1' }, folders: ['/x'], changes: [] }),
        },
      },
      {
        files: {
          'code.json': JSON.stringify({ modules: { '/y/x/agent.ts': '2' }, folders: ['/y/x'], changes: [] }),
        },
      },
      ['--vary', 'lm'],
      ['A and B also differ in 1 (code.x/agent.ts).'],
    ],
    [
      'the same code elsewhere',
      {
        files: {
          'code.json': JSON.stringify({ modules: { '/x/agent.ts': '1' }, folders: ['/x'], changes: [] }),
        },
      },
      {
        files: {
          'code.json': JSON.stringify({ modules: { '/y/x/agent.ts': '1' }, folders: ['/y/x'], changes: [] }),
        },
      },
      ['--vary', 'lm'],
      [],
    ],
    [
      'other right answers and questions',
      {},
      { rows: rows({ s: 'y', t: 'n' }, (id) => (id === 's' ? { target: 'other' } : { question: 'Why?' })) },
      [],
      ['the right answers of A and B differ in 1 (s).', 'the questions of A and B differ in 1 (t).'],
    ],
    [
      'an end before the end, and a simulation',
      { metrics: { status: 'limit_reached' } },
      { metrics: { simulated: true } },
      [],
      ['A is not complete (limit_reached).', 'B is a simulation: no benchmark figure.'],
    ],
  ])('of %s', async (_name, a, b, options, expected) => {
    expect(await warnings(a, b, ...options)).toEqual(expected);
  });

  test('stand beside a table of both values, from where long ones differ', async () => {
    const prompt = 'You are a careful assistant that thinks step by step and answers ';
    const results = resultsFolder();
    for (const [name, end] of [
      ['a', 'tersely'],
      ['b', 'at length'],
    ] as const) {
      await writeExperiment(results, name, {
        rows: rows({ s: 'y' }),
        config: {
          dataset: { items: [{ question: 'q', answer: 'a' }], prompt_template: `${prompt}${end} {question}` },
        },
      });
    }
    const { out, json } = await compared(results, ['a', 'b']);
    expect(tableLines(out)).toContain('dataset.prompt_template: …answers tersely…: …answers at length…');
    expect(onlyComparison(json).differences).toEqual([
      {
        field: 'dataset.prompt_template',
        baseline: `${prompt}tersely {question}`,
        other: `${prompt}at length {question}`,
      },
    ]);
  });
});

describe('--fail-if-worse', () => {
  // 50 samples: right are 25, 24 and 23 of them.
  const right = (count: number) =>
    rows(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}`, index < count ? 'y' : 'n'])),
    );
  test.each([
    ['a', 'b', '0.02', 0],
    ['a', 'b', '2%', 0],
    ['a', 'b', '0.0199', 1],
    ['a', 'b', '0', 1],
    ['a', 'c', '.02', 1],
    ['c', 'a', '0', 0],
    ['a', 'a2', '0', 0],
  ])('%s against %s with a margin of %s exits with %d', async (baseline, other, margin, expected) => {
    const results = resultsFolder();
    for (const [name, count] of [
      ['a', 25],
      ['a2', 25],
      ['b', 24],
      ['c', 23],
    ] as const) {
      await writeExperiment(results, name, { rows: right(count) });
    }
    const { code, said, json } = await compared(results, [baseline, other], '--fail-if-worse', margin);
    expect(code).toBe(expected);
    expect(onlyComparison(json).failed).toBe(expected === 1);
    if (expected === 1)
      expect(said).toMatch(
        /^B \([bc]\) is worse than A \(a\) by [24]\.0 points of correct, more than --fail-if-worse /,
      );
    else expect(said).toBe('');
  });

  test('is of the score that is named', async () => {
    const results = await pair(
      rows({ s: 'y', t: 'y' }, () => ({ reward: 3 })),
      rows({ s: 'y', t: 'y' }, () => ({ reward: 2.5 })),
    );
    expect((await compared(results, ['a', 'b'], '--fail-if-worse', '0.1')).code).toBe(0);
    const { code, said } = await compared(results, ['a', 'b'], '--fail-if-worse', '0.1', '--score', 'reward');
    expect([code, said]).toEqual([
      1,
      'B (b) is worse than A (a) by 0.5 of reward, more than --fail-if-worse 0.1.\n',
    ]);
  });
});

describe('bad input', () => {
  test.each<[string, string[], RegExp]>([
    [
      'one experiment',
      ['a'],
      /^compare takes from 2 to 26 experiments, the baseline first: reprise compare a OTHER/,
    ],
    ['one twice', ['a', 'a/'], /^a\/ is named twice/],
    ['none of this name', ['a', 'gone'], /^there is no finished experiment 'gone' in/],
    [
      'no results',
      ['a', 'begun'],
      /begun has no results so far: the command that started the experiment continues it/,
    ],
    [
      'a kind without rows',
      ['a', 'judged'],
      /^judged is a judgement, which has no rows that could be paired/,
    ],
    ['an unknown kind', ['a', 'alien'], /^alien is an experiment of the kind 'alien'/],
    [
      'no such score',
      ['a', 'b', '--score', 'speed'],
      /^--score: no row has the score 'speed'; there are: correct, reward/,
    ],
    [
      'no such field',
      ['a', 'b', '--by', 'topic'],
      /^--by: no row has the field 'topic' in its metadata; there are: level/,
    ],
    ['no metadata', ['b', 'c', '--by', 'topic'], /^--by: no row has metadata; dataset\.meta_fields names/],
    [
      'no margin',
      ['a', 'b', '--fail-if-worse', 'much'],
      /^--fail-if-worse: "much" is no margin; give a number such as/,
    ],
    ['a margin below 0', ['a', 'b', '--fail-if-worse=-1'], /^--fail-if-worse: "-1" is no margin/],
  ])('%s', async (_name, words, message) => {
    const results = resultsFolder();
    await writeExperiment(results, 'a', { rows: rows({ s: 'y' }, () => ({ metadata: { level: 1 } })) });
    for (const name of ['b', 'c']) await writeExperiment(results, name, { rows: rows({ s: 'n' }) });
    for (const kind of ['judge', 'alien']) {
      const name = kind === 'judge' ? 'judged' : kind;
      await writeExperiment(results, name, { rows: [], metrics: { kind } });
    }
    const begun = await writeExperiment(results, 'begun', { rows: [] });
    rmSync(join(begun, 'metrics.json'));
    const { code, said } = await compare(...words, '--results-dir', results);
    expect(said).toMatch(message);
    expect(code).toBe(2);
  });

  test('a damaged row names the file and the line', async () => {
    const results = await pair(rows({ s: 'y', t: 'y' }), rows({ s: 'y' }));
    const file = join(results, 'a', 'results.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    const { code, said } = await compare('a', 'b', '--results-dir', results);
    expect([code, said]).toEqual([1, expect.stringMatching(/results\.jsonl is damaged: line 2/)]);
  });
});
