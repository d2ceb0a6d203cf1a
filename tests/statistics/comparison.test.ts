import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { type ComparedSamples, clusterNamed, compareExperiments } from '../../src/statistics/comparison.js';
import { comparedSamples, type Outcome } from '../../src/statistics/outcomes.js';

const outcome = (id: string, scores: Outcome['scores'], more: Partial<Outcome> = {}): Outcome => ({
  id,
  trial: 0,
  question: null,
  target: null,
  metadata: {},
  answer: null,
  scores,
  seconds: null,
  ...more,
});

async function experiment(
  outcomes: Outcome[],
  figures: ComparedSamples['figures'] = ['mean', 'last'],
): Promise<ComparedSamples> {
  const rows = (async function* () {
    yield* outcomes;
  })();
  return { samples: await comparedSamples(rows), figures };
}

describe('the scores of two experiments', () => {
  test('are each compared once: one with the values of another in every sample is named, not repeated', async () => {
    const a = await experiment([
      outcome('s', { correct: true, reward: 1, cost: 1 }),
      outcome('t', { correct: false, reward: 0, cost: 1, only: 1 }),
    ]);
    const b = await experiment([
      outcome('s', { correct: false, reward: 0, cost: 2, more: 1 }),
      outcome('t', { correct: true, reward: 1, cost: 1 }),
    ]);
    const compared = compareExperiments(a, b);
    expect(compared.scores.map(({ score, is_share }) => [score, is_share])).toEqual([
      ['correct', true],
      ['cost', false],
    ]);
    expect(compared.same_scores).toEqual({ reward: 'correct' });
    expect(compared.unpaired_scores).toEqual(['only', 'more']);
    const differing = await experiment([
      outcome('s', { correct: false, reward: 0.1 }),
      outcome('t', { correct: true, reward: 1 }),
    ]);
    expect(compareExperiments(a, differing).same_scores).toEqual({});
    expect(compareExperiments(a, b, { score: 'cost' }).scores.map(({ score }) => score)).toEqual(['cost']);
  });

  test('are of the mean and of the last trial, or of what makes sense in both', async () => {
    const trials = (id: string, values: (number | null)[]) =>
      values.map((value, trial) => outcome(id, value === null ? null : { reward: value }, { trial }));
    // Rows need not be in the order of trials.
    const several = (figures?: ComparedSamples['figures']) =>
      experiment([...trials('s', [0, 1, 0.5]), ...trials('t', [1, null])].reverse(), figures);
    const one = await experiment([outcome('s', { reward: 1 }), outcome('t', { reward: 0 })]);
    const summary = ({ scores }: ReturnType<typeof compareExperiments>) =>
      scores.map(({ trials: of, pairs, baseline }) => [of, pairs, baseline]);
    expect(summary(compareExperiments(await several(), one))).toEqual([
      ['mean', 2, 0.75],
      ['last', 1, 0.5],
    ]);
    expect(summary(compareExperiments(await several(['last']), one))).toEqual([['last', 1, 0.5]]);
    expect(summary(compareExperiments(await several(['last']), await several(['mean'])))).toEqual([
      ['last', 1, 0.5],
    ]);
    expect(summary(compareExperiments(one, one))).toEqual([['only', 2, 0.5]]);
  });
});

test('differences of shares are within 100 points, those of rewards are not limited', async () => {
  const graded = (one: Outcome['scores'][], two: Outcome['scores'][], passage?: string) =>
    experiment([
      ...one.map((scores, trial) => outcome('s', scores, { trial, metadata: { passage: passage ?? null } })),
      ...two.map((scores, trial) => outcome('t', scores, { trial, metadata: { passage: passage ?? null } })),
      outcome('u', one[0] ?? null, { metadata: {} }),
    ]);
  const score = (correct: boolean) => ({ correct, points: 2 * Number(correct) });
  const several = [
    await graded([score(true), score(false)], [score(true)]),
    await graded([score(true)], [score(false), score(false)]),
  ] as const;
  const clustered = [
    await graded([score(true)], [score(true)], 'x'),
    await graded([score(false)], [score(true)], 'x'),
  ] as const;
  for (const [[baseline, other], cluster] of [
    [several, null],
    [clustered, 'passage'],
  ] as const) {
    const { scores } = compareExperiments(baseline, other, { cluster, by: ['passage'] });
    const [correct, points] = scores;
    expect(correct).toMatchObject({ is_share: true, interval: { lower: -1, method: 'student_t' } });
    expect(correct?.interval?.upper).toBeLessThanOrEqual(1);
    expect(points).toMatchObject({ is_share: false });
    expect(points?.interval?.lower).toBeLessThan(-2);
    for (const { interval } of correct?.by.passage ?? []) {
      expect(interval?.lower ?? 0).toBeGreaterThanOrEqual(-1);
    }
  }
});

test('a group is that of the baseline’s row, or of the other’s where it has none', async () => {
  const graded = (values: Record<string, unknown>) =>
    experiment(
      Object.entries(values).map(([id, level]) =>
        outcome(id, { reward: 1 }, { metadata: level === undefined ? {} : { level: level as never } }),
      ),
    );
  const a = await graded({ s: 'hard', t: undefined, u: null, v: 10, w: 9, x: ['a', 1] });
  const b = await graded({ s: 'easy', t: 'easy', u: null, v: 10, w: 9, x: ['a', 1] });
  const [score] = compareExperiments(a, b, { by: ['level', 'constructor'] }).scores;
  expect(score?.by.level?.map(({ group, pairs }) => [group, pairs])).toEqual([
    ['["a",1]', 1],
    ['9', 1],
    ['10', 1],
    ['easy', 1],
    ['hard', 1],
    [null, 1],
  ]);
  expect(score?.by.constructor).toMatchObject([{ group: null, pairs: 6 }]);
});

test('samples are clustered by a field of the metadata that some have', async () => {
  const passages = (right: boolean[], field = 'passage') =>
    experiment(
      right.map((correct, index) =>
        outcome(`s${index}`, { correct }, { metadata: { [field]: index < 2 ? 'x' : index } }),
      ),
    );
  const [a, b] = [await passages([false, false, true, true]), await passages([true, true, true, true])];
  const summary = ({ clustered_by, scores: [score] }: ReturnType<typeof compareExperiments>) => [
    clustered_by,
    score?.clusters,
    score?.test?.method,
  ];
  expect(summary(compareExperiments(a, b, { cluster: 'passage' }))).toEqual(['passage', 3, 'permutation']);
  const usual = [undefined, undefined, 'mcnemar'];
  expect(summary(compareExperiments(a, b, { cluster: 'nowhere' }))).toEqual(usual);
  expect(summary(compareExperiments(a, b))).toEqual(usual);
  // A field that the baseline’s rows lack is read of the other’s.
  const bare = await passages([false, false, true, true], 'else');
  expect(summary(compareExperiments(bare, b, { cluster: 'passage' }))).toEqual(['passage', 3, 'permutation']);
});

test('the field of clusters is the first that a config names', () => {
  const named: JsonObject[] = [
    {},
    { metrics: { cluster: null } },
    { metrics: { cluster: 'p' } },
    { metrics: { cluster: 'q' } },
  ];
  expect(clusterNamed(named)).toBe('p');
  expect(clusterNamed(named.slice(0, 2))).toBeNull();
});

test('changed samples are listed by the size of their change, equal ones in the order of the rows', async () => {
  const rewards = (values: number[]) =>
    experiment(values.map((reward, index) => outcome(`s${index}`, { reward }, { answer: `${reward}` })));
  const [a, b] = [await rewards([0, 0.5, 1, 0, 0, 0.25]), await rewards([0.25, 0, 0, 1, 0.25, 0.25])];
  const [score] = compareExperiments(a, b).scores;
  const { better = [], worse = [] } = score?.changes ?? {};
  expect(better.map(({ id }) => id)).toEqual(['s3', 's0', 's4']);
  expect(worse.map(({ id }) => id)).toEqual(['s2', 's1']);
  expect(worse[0]).toEqual({
    id: 's2',
    question: null,
    baseline: { value: 1, answers: ['1'] },
    other: { value: 0, answers: ['0'] },
  });
});

test('questions and right answers differ where both rows have one', async () => {
  const a = await experiment([
    outcome('s', {}, { question: 'x', target: ['1', '2'] }),
    outcome('t', {}, { question: 'x', target: '1' }),
    outcome('u', {}, { question: null, target: '1' }),
  ]);
  const b = await experiment([
    outcome('s', {}, { question: 'x', target: ['1', '3'] }),
    outcome('t', {}, { question: 'y', target: '1' }),
    outcome('u', {}, { question: 'y', target: null }),
  ]);
  expect(compareExperiments(a, b)).toMatchObject({
    questions_differ: ['t'],
    targets_differ: ['s'],
    scores: [],
  });
});
