import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/contracts/environment.js';
import { drawExamples, type FewShot } from '../../src/datasets/few-shot.js';
import type { DatasetSource } from '../../src/datasets/load.js';
import { createTaskMapper, type TaskMapping } from '../../src/datasets/tasks.js';
import { fixture, temporaryFile } from './collect.js';

const exact: TaskMapping = { task_type: 'exact', input_field: 'question', target_field: 'answer', seed: 1 };
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    question: `q${from + index}`,
    answer: `a${from + index}`,
    key: `k${from + index}`,
  }));
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/** The examples of a sample, the first row of the dataset unless another one is given. */
async function examplesOf(
  few_shot: FewShot,
  {
    mapping = {},
    dataset = { items: numbered(20) },
    sample = numbered(1)[0] as object,
    position = 0,
  }: {
    mapping?: Partial<TaskMapping>;
    dataset?: DatasetSource;
    sample?: object;
    position?: number;
  } = {},
): Promise<[question: string, answer: string][]> {
  const all = { ...exact, ...mapping };
  const examples = await drawExamples(dataset, few_shot, all, {});
  const task = createTaskMapper(all)(sample as never, position);
  return examples.for(task).map(({ task: { question }, answer }) => [question, answer]);
}

const questions = async (...given: Parameters<typeof examplesOf>) =>
  (await examplesOf(...given)).map(([question]) => question);

describe('of the dataset itself', () => {
  test('are drawn by the seed, one set for all samples', async () => {
    const drawn = await questions({ count: 4 });
    expect(drawn).toHaveLength(4);
    expect(await questions({ count: 4 })).toEqual(drawn);
    expect(await questions({ count: 4, seed: 1 }, { mapping: { seed: 9 } })).toEqual(drawn);
    expect(await questions({ count: 4 }, { mapping: { seed: 2 } })).not.toEqual(drawn);
    expect(await questions({ count: 6 })).toEqual([...drawn, expect.anything(), expect.anything()]);
  });

  test('are never the sample itself, in whose place the next one is', async () => {
    const items = numbered(20);
    const five = await questions({ count: 5 }, { sample: { question: 'other', answer: 'x' }, position: 99 });
    for (const [position, sample] of items.entries()) {
      const shown = await questions({ count: 4 }, { sample, position });
      expect(shown).toEqual(five.filter((question) => question !== sample.question).slice(0, 4));
    }
  });

  test('are never a row with the same question, whatever its case and spaces', async () => {
    const items = numbered(6);
    const sample = { question: ' Q3\n', answer: 'other' };
    expect(await questions({ count: 5 }, { dataset: { items }, sample, position: 99 })).not.toContain('q3');
  });

  test('ask each question once', async () => {
    const items = [...numbered(4), ...numbered(4), ...numbered(4)];
    const drawn = await questions({ count: 3 }, { dataset: { items } });
    expect(new Set(drawn).size).toBe(3);
  });

  test('too few are refused', async () => {
    await expect(examplesOf({ count: 20 })).rejects.toMatchObject({
      field: 'dataset.few_shot.count',
      message:
        'dataset.few_shot.count: 20 examples are wanted, and there are only 19 other questions in the dataset',
    });
    expect(await examplesOf({ count: 19 })).toHaveLength(19);
  });

  test('a row that cannot be read is not drawn', async () => {
    const items = numbered(6).map((row, index) => (index % 2 === 0 ? row : { ...row, answer: '' }));
    expect(await examplesOf({ count: 2 }, { dataset: { items } })).toHaveLength(2);
    await expect(examplesOf({ count: 3 }, { dataset: { items } })).rejects.toThrow(/only 2 other/);
  });
});

describe('of another source', () => {
  test('inline rows are shown in their order, all of them', async () => {
    const items = [
      { question: 'x', answer: '1' },
      { question: 'y', answer: '2' },
    ];
    expect(await examplesOf({ items })).toEqual([
      ['x', '1'],
      ['y', '2'],
    ]);
    // A row number is no identity between two sources, a question is one.
    expect(await questions({ items: numbered(3) })).toEqual(['q1', 'q2']);
  });

  test('a file is read, and so many of it drawn', async () => {
    const dataset_path = await temporaryFile('train.jsonl', lines(numbered(50, 100)));
    const drawn = await questions({ dataset_path, count: 3 });
    expect(drawn).toHaveLength(3);
    for (const question of drawn) expect(question).toMatch(/^q1\d\d$/);
    expect(await questions({ dataset_path })).toHaveLength(50);
  });

  test('an id of an id_field is the same sample', async () => {
    const items = [{ question: 'asked in other words', answer: '1', key: 'k0' }, ...numbered(2, 5)];
    expect(await questions({ items }, { mapping: { id_field: 'key' } })).toEqual(['q5', 'q6']);
  });

  test('a split is another one of the dataset’s folder', async () => {
    const dataset = { dataset_path: fixture('saved-splits'), split: 'test' };
    const mapping = { input_field: 'question', target_field: 'question' };
    const drawn = await questions({ split: 'train', count: 2 }, { dataset, mapping });
    expect(new Set(drawn).size).toBe(2);
    await expect(examplesOf({ split: 'nope', count: 1 }, { dataset, mapping })).rejects.toThrow(
      /has no split 'nope'/,
    );
  });

  test('a split is another one of the dataset’s JSON file', async () => {
    const content = JSON.stringify({ train: numbered(3, 100), test: numbered(3) });
    const dataset = { dataset_path: await temporaryFile('rows.json', content), split: 'test' };
    expect(await questions({ split: 'train' }, { dataset })).toEqual(['q100', 'q101', 'q102']);
  });

  test('a split of a file is refused, with the way out', async () => {
    const dataset_path = await temporaryFile('rows.jsonl', lines(numbered(5)));
    for (const dataset of [{ dataset_path }, { items: numbered(5) }]) {
      await expect(examplesOf({ split: 'train' }, { dataset })).rejects.toMatchObject({
        field: 'dataset.few_shot.split',
        message: expect.stringContaining('name a file of examples in dataset.few_shot.dataset_path'),
      });
    }
  });

  test('more than a hundred want a count, and faults name their row', async () => {
    await expect(examplesOf({ items: numbered(101) })).rejects.toMatchObject({
      field: 'dataset.few_shot.count',
    });
    await expect(examplesOf({ items: [{ question: 'x' }] })).rejects.toMatchObject({
      field: 'dataset.target_field',
      message: expect.stringMatching(/^dataset\.few_shot, row 1 has no field 'answer'/),
    });
    await expect(examplesOf({ items: [{ question: 'x' }], count: 1 })).rejects.toThrow(
      /^dataset\.few_shot, row 1/,
    );
    const empty = await temporaryFile('none.jsonl', '');
    await expect(examplesOf({ dataset_path: empty })).rejects.toThrow('there are no rows for examples');
    await expect(examplesOf({ dataset_path: empty, count: 1 })).rejects.toThrow(
      'there are no rows for examples',
    );
  });
});

describe('the answer', () => {
  const choices = ['lead', 'iron', 'tin'];
  const mcq: Partial<TaskMapping> = { task_type: 'mcq', choices_field: 'choices' };
  const answerOf = async (row: object, mapping: Partial<TaskMapping> = {}, fewShot: FewShot = {}) =>
    (await examplesOf({ ...fewShot, items: [{ question: 'x', ...row }] }, { mapping }).catch(
      ({ message }: Error) => message,
    )) as unknown;

  // The sample itself has no choices; only the example matters here.
  const shown = async (row: object, mapping: Partial<TaskMapping>, fewShot: FewShot = {}) => {
    const all = { ...exact, ...mapping };
    const items = [{ question: 'x', ...row }];
    const examples = await drawExamples({ items: numbered(1) }, { ...fewShot, items }, all, {});
    const sample: Task = { index: 0, id: '0', question: 'other', target: null, metadata: {} };
    return examples.for(sample)[0]?.answer;
  };

  test.each<[string, object, Partial<TaskMapping>, string]>([
    ['a letter, of an index', { choices, answer: 1 }, mcq, 'B'],
    ['a letter, of a text', { choices, answer: 'tin' }, mcq, 'C'],
    [
      'the first of several that are each right',
      { choices, answer: ['A', 'C'] },
      { ...mcq, target_match: 'any' },
      'A',
    ],
    [
      'all of several that are wanted',
      { choices, answer: ['A', 'C'] },
      { ...mcq, target_match: 'all' },
      'A, C',
    ],
    ['a text', { answer: 'Oslo' }, {}, 'Oslo'],
    ['the first of several texts', { answer: ['Kyiv', 'Kiev'] }, {}, 'Kyiv'],
    [
      'all numbers that are wanted',
      { answer: [2, 5] },
      { task_type: 'numeric', target_match: 'all' },
      '2, 5',
    ],
  ])('is %s', async (_, row, mapping, answer) => {
    expect(await shown(row, mapping)).toBe(answer);
  });

  test('has its letter after choices were shuffled', async () => {
    const mapping = { ...mcq, shuffle_choices: true };
    const items = Array.from({ length: 9 }, (_, index) => ({
      question: `x${index}`,
      choices,
      answer: 'iron',
    }));
    const examples = await drawExamples({ items: numbered(1) }, { items }, { ...exact, ...mapping }, {});
    const sample: Task = { index: 0, id: 'none', question: 'other', target: null, metadata: {} };
    const answers = examples.for(sample);
    expect(new Set(answers.map(({ answer }) => answer)).size).toBe(3);
    for (const { task, answer } of answers) expect(task.choices?.['ABC'.indexOf(answer)]).toBe('iron');
  });

  test('may be worked out in a field of the row', async () => {
    const row = { choices, answer: 1, steps: 'It rusts.' };
    const answer_template = '{steps} {{So}} the answer is ({answer}).';
    expect(await shown(row, mcq, { answer_template })).toBe('It rusts. {So} the answer is (B).');
    expect(await answerOf({ answer: 'x' }, {}, { answer_template: '{stps}' })).toMatch(
      /^dataset\.few_shot, the placeholder \{stps\} \(dataset\.few_shot\.answer_template\) is no field of row 1/,
    );
    expect(await answerOf({ answer: 'x' }, {}, { answer_template: '{answer' })).toMatch(
      /^dataset\.few_shot\.answer_template: '\{' at character 1 of the template is no placeholder; write \{\{/,
    );
  });

  test('has to be there', async () => {
    expect(await answerOf({ answer: null }, { task_type: 'custom' })).toMatch(
      /^dataset\.few_shot, a row has no right answer to show/,
    );
  });
});
