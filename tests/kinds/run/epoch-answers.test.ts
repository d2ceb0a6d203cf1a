import { expect, test } from 'vitest';
import { MathQAEnv } from '../../../src/environments/math-qa.js';
import { QAEnv } from '../../../src/environments/qa.js';
import { compareSymbolically } from '../../../src/grading/compare-symbolically.js';
import { ComparisonUnavailableError, GradingLimitError } from '../../../src/grading/grade.js';
import { EpochAnswers } from '../../../src/kinds/run/epoch-answers.js';
import { ReducerSums } from '../../../src/kinds/run/reducers.js';
import { configOf } from '../../support/configs.js';
import { row } from '../../support/rows.js';

const MODE = { reducers: ['mode'] };

interface Question {
  type: 'numeric' | 'exact' | 'mcq';
  targets: string[];
  tolerance?: number;
}

/** Grades replies as epochs of one sample, and returns the rows with their votes. */
async function counted(
  { type, targets, tolerance }: Question,
  replies: string[],
  { symbolic = compareSymbolically, rules = MODE, id = 's' } = {},
) {
  const env_options = tolerance === undefined ? {} : { tolerance };
  const dataset = {
    items: [{ question: 'q', answer: targets[0], choices: ['a', 'b'] }],
    task_type: type,
    env_options,
    ...(type === 'mcq' && { choices_field: 'choices' }),
  };
  const answers = new EpochAnswers(configOf({ dataset }), rules, symbolic);
  const task = { index: 0, id, question: 'q', target: targets[0] ?? null, targets, metadata: {} };
  const settings = { instruction: '', options: env_options } as never;
  const Class = type === 'exact' ? QAEnv : MathQAEnv;
  const environment = new Class(task as never, settings, { compareSymbolically });
  const rows = [];
  for (const [epoch, reply] of replies.entries()) {
    const feedback = await environment.evaluate(reply);
    const one = row(id, epoch, feedback.correct ? 'yes' : 'no');
    const extracted = feedback.extra?.extracted ?? null;
    rows.push(await answers.counted({ ...one, feedback, action: reply, extracted }));
  }
  return rows;
}

async function voted(question: Question, replies: string[], options = {}) {
  const sums = new ReducerSums(['mode']);
  sums.add('s', await counted(question, replies, options));
  const { mean, ties } = sums.figures({}).mode ?? {};
  return [mean, ties];
}

const numeric = (target: string, tolerance?: number): Question => ({
  type: 'numeric',
  targets: [target],
  ...(tolerance === undefined ? {} : { tolerance }),
});
const exact = (...targets: string[]): Question => ({ type: 'exact', targets });

test.each<[string, Question, string[], number, number]>([
  ['a decimal and fractions', numeric('1/2'), ['0.5', '1/2', '\\boxed{\\frac{1}{2}}', '3', '3'], 1, 0],
  ['thousands, currency and zeros', numeric('1000'), ['7', '1,000', '7', '1000.0', '$1000'], 1, 0],
  ['a percentage', numeric('0.5'), ['7', '50\\%', '7', '0.50', '1/2'], 1, 0],
  [
    'roots',
    numeric('\\frac{\\sqrt{2}}{2}'),
    [
      '3',
      '\\boxed{\\frac{1}{\\sqrt{2}}}',
      '3',
      '\\boxed{\\frac{\\sqrt{2}}{2}}',
      '\\boxed{\\frac{2}{2\\sqrt{2}}}',
    ],
    1,
    0,
  ],
  [
    'sets',
    numeric('\\{1, 2\\}'),
    ['9', '\\boxed{\\{2, 1\\}}', '9', '\\boxed{\\{1,2\\}}', '\\boxed{\\{1, 2\\}}'],
    1,
    0,
  ],
  // Wrong ones are taken together as well: a vote must not favour what is right.
  ['wrong numbers', numeric('1/2'), ['0.5', '1/2', '3', '3.0', '\\frac{6}{2}'], 0, 0],
  [
    'wrong roots',
    numeric('1/2'),
    ['0.5', '1/2', '\\boxed{2\\sqrt{3}}', '\\boxed{\\sqrt{12}}', '\\boxed{\\frac{6}{\\sqrt{3}}}'],
    0,
    0,
  ],
  ['different wrong ones', numeric('5'), ['3', '4', '6', '5'], 0, 1],
  ['within the tolerance of the target', numeric('100', 0.01), ['7', '100.6', '7', '99.5', '100'], 1, 0],
  ['within the tolerance of each other', numeric('100', 0.01), ['100', '50', '100', '50.1', '50.2'], 0, 0],
  [
    'near each other on both sides of the tolerance',
    numeric('100', 0.01),
    ['101.2', '100.9', '7', '100.8', '7'],
    1,
    1,
  ],
  ['near each other without a tolerance', numeric('100'), ['100', '99.9', '100', '100.1', '99.8'], 1, 0],
  ['no answer', numeric('5'), ['I do not know.', 'Who can tell?', '5'], 0, 1],
  ['quotation marks and spaces', exact("it's  so"), ['no', 'it’s so', 'no', "it's so", "it's  so"], 1, 0],
  [
    'upper and lower case, which exact tells apart',
    exact('Oslo'),
    ['Oslo', 'oslo', 'OSLO', 'Rome', 'Rome'],
    0,
    0,
  ],
  [
    'accepted aliases, which are different answers',
    exact('NYC', 'New York'),
    ['NYC', 'New York', 'Rome', 'Rome'],
    0,
    0,
  ],
])('of %s the most frequent answer counts', async (_, question, replies, mean, ties) => {
  expect(await voted(question, replies)).toEqual([mean, ties]);
});

test('answers of other tasks, other samples and errors are left as they are, and without a vote nothing is compared', async () => {
  const symbolic = () => Promise.reject(new Error('nothing is to be compared'));
  const roots = ['\\boxed{2\\sqrt{3}}', '\\boxed{\\sqrt{12}}'];
  for (const row of await counted(numeric('1'), roots, { symbolic, rules: { reducers: ['mean'] } })) {
    expect(row).not.toHaveProperty('vote');
  }
  for (const row of await counted({ ...numeric('1'), type: 'mcq' }, roots, { symbolic })) {
    expect(row).not.toHaveProperty('vote');
  }
  const answers = new EpochAnswers(
    configOf({ dataset: { items: [{}], task_type: 'numeric' } }),
    MODE,
    symbolic,
  );
  const votes = [];
  for (const [id, extracted] of [
    ['s', '1.0'],
    ['s', '1'],
    ['t', '1'],
  ] as const) {
    votes.push((await answers.counted({ ...row(id, 0, 'no'), extracted })).vote);
  }
  expect(votes).toEqual(['1.0', '1.0', '1']);
  expect(await answers.counted(row('t', 1, 'timeout'))).not.toHaveProperty('vote');
});

test('a hundred answers of a sample are compared with one another, and equal texts are one beyond that', async () => {
  let compared = 0;
  const symbolic = async () => {
    compared += 1;
    return false;
  };
  const roots = Array.from({ length: 40 }, (_, n) => `\\boxed{2\\sqrt{${n + 2}}}`);
  const rows = await counted(numeric('1'), [...roots, roots[39] as string, '1', '1.0'], { symbolic });
  expect(compared).toBe(100);
  expect(new Set(rows.map(({ vote }) => vote)).size).toBe(41);
});

test('a comparison that reached its limit shows nothing, and one that could not be made is tried again', async () => {
  const roots = ['\\boxed{2\\sqrt{3}}', '\\boxed{\\sqrt{12}}', '1'];
  const limit = () => Promise.reject(new GradingLimitError('too long'));
  expect(await voted(numeric('1'), roots, { symbolic: limit })).toEqual([0, 1]);
  const away = () => Promise.reject(new ComparisonUnavailableError('no thread'));
  await expect(voted(numeric('1'), roots, { symbolic: away })).rejects.toThrow('cannot be compared');
});
