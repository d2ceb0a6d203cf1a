import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/contracts/environment.js';
import { loadRows } from '../../src/datasets/load.js';
import type { Row } from '../../src/datasets/row.js';
import { createTaskMapper, type TaskMapping, tasksOf } from '../../src/datasets/tasks.js';
import { collect, fixture } from './collect.js';

const exact: TaskMapping = { task_type: 'exact', input_field: 'question', target_field: 'answer' };
const mcq: TaskMapping = { ...exact, task_type: 'mcq', choices_field: 'choices' };

const tasks = (rows: Row[], mapping: Partial<TaskMapping> = {}) =>
  collect(tasksOf(rows, { ...exact, ...mapping }));
const task = (row: Row, mapping: TaskMapping = exact): Task => createTaskMapper(mapping)(row, 0);
const numbered = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ question: `q${index}`, answer: index, key: `k${index}` }));

describe('fields', () => {
  test('a row becomes a task, numbered from 0 where no id_field is named', async () => {
    expect(
      await tasks([
        { question: 'q', answer: 'a' },
        { question: 'r', answer: 'b' },
      ]),
    ).toEqual([
      { index: 0, id: '0', question: 'q', target: 'a', metadata: {} },
      { index: 1, id: '1', question: 'r', target: 'b', metadata: {} },
    ]);
  });

  test('dotted paths reach into objects and lists, and a literal key with a dot wins', () => {
    const row: Row = {
      'metadata.ID': 'literal',
      metadata: { ID: 'nested', 'a.b': { c: 'mixed' } },
      answers: { text: ['first', 'second'] },
      question: 'q',
    };
    const mapping = { ...exact, target_field: 'answers.text.1', id_field: 'metadata.ID' };
    expect(task(row, mapping)).toMatchObject({ id: 'literal', target: 'second' });
    expect(task(row, { ...mapping, id_field: 'metadata.a.b.c' }).id).toBe('mixed');
  });

  test.each([
    [
      'input_field',
      { input_field: 'nothere' },
      "row 1 has no field 'nothere' (dataset.input_field); its fields are: question, answer, meta.ID",
    ],
    ['target_field', { target_field: 'meta.no' }, "row 1 has no field 'meta.no' (dataset.target_field)"],
    ['id_field', { id_field: 'ID' }, "row 1 has no field 'ID' (dataset.id_field)"],
    ['meta_fields', { meta_fields: ['meta.ID', 'x'] }, "row 1 has no field 'x' (dataset.meta_fields)"],
    ['choices_field', { choices_field: 'options' }, "row 1 has no field 'options' (dataset.choices_field)"],
  ])('a missing %s is named with its row and the fields there are', async (field, mapping, message) => {
    await expect(tasks([{ question: 'q', answer: 'a', meta: { ID: 1 } }], mapping)).rejects.toMatchObject({
      name: 'DatasetError',
      field: `dataset.${field}`,
      message: expect.stringContaining(message),
    });
  });

  test('names of inherited properties are no fields', () => {
    expect(() => task({ question: 'q', answer: 'a' }, { ...exact, input_field: 'constructor' })).toThrow(
      /no field/,
    );
  });

  test.each([
    [42, '42'],
    [0.5, '0.5'],
    [true, 'true'],
    ['text', 'text'],
  ])('the target %j becomes the text %j', (answer, target) => {
    expect(task({ question: 'q', answer }).target).toBe(target);
  });

  test.each([[null], [''], ['  '], [['a']], [{ a: 1 }]])('the target %j is refused', (answer) => {
    expect(() => task({ question: 'q', answer })).toThrow(/row 1: 'answer' \(dataset.target_field\)/);
  });

  test('only a custom environment goes without a target', () => {
    const custom = { ...exact, task_type: 'custom' } as const;
    expect(task({ question: 'q', answer: null }, custom).target).toBeNull();
    expect(task({ question: 'q' }, custom).target).toBeNull();
    expect(task({ question: 'q' }, { ...custom, target_field: null }).target).toBeNull();
    expect(() => task({ question: 'q' }, { ...exact, target_field: undefined })).toThrow(
      /needs a target_field/,
    );
  });

  test.each([[null], [['a']], [''], [{}]])('the question %j is refused', (question) => {
    expect(() => task({ question, answer: 'a' })).toThrow(/dataset\.input_field/);
  });

  test('meta_fields are kept under the names they are asked by', () => {
    const row: Row = { question: 'q', answer: 'a', level: 3, meta: { tags: ['x'], none: null } };
    const mapping = { ...exact, meta_fields: ['level', 'meta.tags', 'meta.none'] };
    expect(task(row, mapping).metadata).toEqual({ level: 3, 'meta.tags': ['x'], 'meta.none': null });
  });
});

describe('ids', () => {
  test('the same id twice is refused with the id and both rows', async () => {
    const rows = [...numbered(3), { question: 'q', answer: 'a', key: 'k1' }];
    await expect(tasks(rows, { id_field: 'key' })).rejects.toThrow(/rows 2 and 4 have the same id "k1"/);
  });

  test('1 and "1" are the same id', async () => {
    const rows = [1, '1'].map((key) => ({ question: 'q', answer: 'a', key }));
    await expect(tasks(rows, { id_field: 'key' })).rejects.toThrow(/same id/);
  });

  test.each([[null], [''], [' '], [['x']], ['x'.repeat(201)], ['a\nb'], ['a\u0000']])(
    'the id %j is refused',
    (key) => {
      const mapping = { ...exact, id_field: 'key' };
      expect(() => task({ question: 'q', answer: 'a', key }, mapping)).toThrow(
        /row 1: 'key' \(dataset.id_field\)/,
      );
    },
  );
});

describe('prompt_template', () => {
  const formatted = (prompt_template: string, row: Row) =>
    task({ question: 'Q?', answer: 'a', ...row }, { ...exact, prompt_template }).question;

  test('placeholders are filled, dotted paths and doubled braces understood', () => {
    expect(
      formatted('{{{meta.level}}} {question} { tags } {none}{flag}', {
        meta: { level: 3 },
        tags: ['x'],
        none: null,
        flag: true,
      }),
    ).toBe('{3} Q? ["x"] true');
  });

  test('what a value holds is not taken for a placeholder', () => {
    expect(formatted('{question}', { question: '{answer} {{x}} $&' })).toBe('{answer} {{x}} $&');
  });

  test('{question} means the input_field where the row has no field of that name', () => {
    const mapping = { ...exact, input_field: 'problem', prompt_template: 'Solve: {question}' };
    expect(task({ problem: '1+1', answer: '2' }, mapping).question).toBe('Solve: 1+1');
  });

  test('an unknown placeholder is named with the fields there are', () => {
    expect(() => formatted('{questoin}', {})).toThrow(
      /\{questoin\} \(dataset\.prompt_template\).*question, answer/,
    );
  });

  test.each(['a { b', 'a } b', '{}', '{ }', '{a{b}}'])(
    'the lone brace in %j is refused with its place',
    (template) => {
      expect(() => formatted(template, { a: 1, b: 1 })).toThrow(/character \d+ of the template/);
    },
  );
});

describe('choices', () => {
  const chosen = (choices: Row['choices'], answer: Row['answer']) => {
    const found = task({ question: 'q', answer: answer as string, choices: choices as string[] }, mcq);
    return { choices: found.choices, target: found.target };
  };

  test.each([
    ['a letter is left to the environment', ['red', 'green'], 'B', 'B'],
    ['a letter in brackets is left to the environment', ['red', 'green'], '(B)', '(B)'],
    ['a text is left to the environment', ['red', 'green'], 'green', 'green'],
    ['an integer is a 0-based index', ['red', 'green'], 1, 'green'],
    ['an integer is an index also where the choices are numerals (MMLU)', ['4', '2', '1', '0'], 1, '2'],
    ['an integer that is no index but a numeral among them is that choice', ['10', '20'], 20, '20'],
    ['among numbers, a number is the choice', [3, 2, 1], 1, '1'],
    ['digits as text are the choice of that text', ['4', '2', '1', '0'], '1', '1'],
    ['digits as text are an index where no choice is that text', ['red', 'green'], '1', 'green'],
    ['a choice whose text stands twice is named by its letter', ['same', 'same', 'other'], 1, '(B)'],
    ['a choice that reads like a letter is named by its letter', ['B', 'A'], 0, '(A)'],
  ])('%s', (_, choices, answer, target) => {
    expect(chosen(choices, answer)).toEqual({ choices: choices.map(String), target });
  });

  test('a JSON list in a text, as CSV holds it, is read', () => {
    expect(chosen('["red", "green"]', 'A').choices).toEqual(['red', 'green']);
  });

  test('an object of texts and labels keeps its order, and a label means its choice', () => {
    expect(chosen({ text: ['red', 'green', 'blue'], label: ['1', '2', '3'] }, '3')).toEqual({
      choices: ['red', 'green', 'blue'],
      target: 'blue',
    });
  });

  test.each([
    ['a text that is no list', "['red' 'green']", /not a JSON list/],
    ['a number', 3, /is a number/],
    ['an object without texts', { a: 1 }, /is an object/],
    ['a list with null in it', ['a', null], /a choice in 'choices'.*is null/],
  ])('%s is refused', (_, choices, reason) => {
    expect(() => chosen(choices as string[], 'A')).toThrow(reason);
  });

  test.each([[2], [-1], [0.5]])(
    'the target %j is refused where it is neither an index nor a choice',
    (answer) => {
      expect(() => chosen(['red', 'green'], answer)).toThrow(/neither one of the 2 choices/);
    },
  );

  describe('from a field each', () => {
    const gpqa: TaskMapping = {
      task_type: 'mcq',
      input_field: 'Question',
      target_field: 'Correct Answer',
      choices_field: ['Correct Answer', 'Incorrect Answer 1', 'Incorrect Answer 2', 'Incorrect Answer 3'],
      id_field: 'id',
    };
    const rows = Array.from({ length: 200 }, (_, index) => ({
      id: `r${index}`,
      Question: 'q',
      'Correct Answer': 'right',
      'Incorrect Answer 1': 'wrong 1',
      'Incorrect Answer 2': 'wrong 2',
      'Incorrect Answer 3': 'wrong 3',
    }));

    test('the right one stands in every place about equally often, and is the target', async () => {
      const found = await collect(tasksOf(rows, gpqa));
      const places = [0, 0, 0, 0];
      for (const { choices = [], target } of found) {
        expect([...choices].sort()).toEqual(['right', 'wrong 1', 'wrong 2', 'wrong 3']);
        expect(target).toBe('right');
        places[choices.indexOf('right')] = (places[choices.indexOf('right')] ?? 0) + 1;
      }
      for (const count of places) expect(count).toBeGreaterThan(30);
    });

    test('the order depends on seed and id, not on the other rows or the shuffle', async () => {
      const orders = async (mapping: TaskMapping) =>
        new Map((await collect(tasksOf(rows, mapping))).map(({ id, choices }) => [id, choices]));
      const plain = await orders({ ...gpqa, seed: 1 });
      const sampled = await orders({ ...gpqa, seed: 1, shuffle: true, max_envs_to_visit: 20 });
      for (const [id, choices] of sampled) expect(choices).toEqual(plain.get(id));
      expect(await orders({ ...gpqa, seed: 2 })).not.toEqual(plain);
    });

    test('fields named as letters keep their order, and a letter means its field', () => {
      const lettered = { ...exact, task_type: 'mcq', choices_field: ['A', 'B', 'C', 'D'] } as const;
      const row = { question: 'q', answer: 'C', A: 'red', B: 'green', C: 'blue', D: null };
      expect(task(row, lettered)).toMatchObject({ choices: ['red', 'green', 'blue'], target: 'blue' });
    });

    test('a row whose right answer is missing is refused', () => {
      const row = { ...rows[0], 'Correct Answer': null } as Row;
      expect(() => task(row, gpqa)).toThrow(/'Correct Answer' \(dataset.target_field\) is null/);
    });
  });
});

describe('order and number', () => {
  test('a shuffle is the same for a seed, another for another, and loses nothing', async () => {
    const ids = async (seed: number) =>
      (await tasks(numbered(100), { shuffle: true, seed })).map(({ id }) => id);
    expect(await ids(7)).toEqual(await ids(7));
    expect(await ids(7)).not.toEqual(await ids(8));
    expect([...(await ids(7))].sort()).toEqual(
      numbered(100)
        .map((_, index) => String(index))
        .sort(),
    );
  });

  test('the shuffle of seed 0 is pinned: a run must find its samples again with a later version', async () => {
    const found = await tasks(numbered(10), { shuffle: true, seed: 0 });
    expect(found.map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "0",
        "3",
        "6",
        "2",
        "4",
        "9",
        "8",
        "1",
        "5",
        "7",
      ]
    `);
    expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('max_envs_to_visit is applied after the shuffle', async () => {
    const all = await tasks(numbered(50), { shuffle: true, seed: 3 });
    expect(await tasks(numbered(50), { shuffle: true, seed: 3, max_envs_to_visit: 5 })).toEqual(
      all.slice(0, 5),
    );
    expect(await tasks(numbered(3), { max_envs_to_visit: 10 })).toHaveLength(3);
  });

  test('without a shuffle no row is read beyond those that are wanted', async () => {
    let read = 0;
    async function* endless() {
      for (;;) yield { question: 'q', answer: String(read++) };
    }
    expect(await collect(tasksOf(endless(), { ...exact, max_envs_to_visit: 3 }))).toHaveLength(3);
    expect(read).toBe(3);
  });

  test('a dataset without rows is refused', async () => {
    await expect(tasks([])).rejects.toThrow('the dataset has no rows');
    await expect(tasks([], { shuffle: true })).rejects.toThrow('the dataset has no rows');
  });
});

test('a folder that save_to_disk wrote becomes tasks: class numbers are indices, ids come from a nested field', async () => {
  const rows = loadRows({ dataset_path: fixture('saved-dataset') });
  const mapping = { ...mcq, target_field: 'label', id_field: 'metadata.ID' };
  const found = await collect(tasksOf(rows, mapping));
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `id-${index}`));
  expect(found.map(({ target }) => target).slice(0, 3)).toEqual(['yes', 'no', 'yes']);
});
