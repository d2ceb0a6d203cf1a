import { describe, expect, test } from 'vitest';
import { loadRows } from '../../src/datasets/load.js';
import type { DatasetRow } from '../../src/datasets/row.js';
import { createTaskMapper, type TaskMapping, tasksOf } from '../../src/datasets/tasks.js';
import { collect, fixture } from './collect.js';

const exact: TaskMapping = { task_type: 'exact', input_field: 'question', target_field: 'answer' };
const mcq: TaskMapping = { ...exact, task_type: 'mcq', choices_field: 'choices' };

const tasks = (rows: DatasetRow[], mapping: Partial<TaskMapping> = {}) =>
  collect(tasksOf(rows, { ...exact, ...mapping }));
const task = (row: DatasetRow, mapping: TaskMapping = exact) => createTaskMapper(mapping)(row, 0);
const numbered = (count: number): DatasetRow[] =>
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
    const row: DatasetRow = {
      'metadata.ID': 'literal',
      metadata: { ID: 'nested', 'a.b': { c: 'mixed' } },
      answers: { text: ['first', 'second'] },
      question: 'q',
    };
    const mapping = { ...exact, target_field: 'answers.text.1', id_field: 'metadata.ID' };
    expect(task(row, mapping)).toMatchObject({ id: 'literal', target: 'second' });
    expect(task(row, { ...mapping, id_field: 'metadata.a.b.c' }).id).toBe('mixed');
  });

  test('dotted paths reach into the text of an object or a list, as CSV holds it', () => {
    const answers = "{'text': array(['first', 'second'], dtype=object), 'answer_start': array([1, 7])}";
    const row: DatasetRow = { question: 'q', answers, meta: '{"ID": "007"}', note: 'text' };
    const mapping = { ...exact, target_field: 'answers.text', id_field: 'meta.ID' };
    expect(task(row, mapping)).toMatchObject({ id: '007', targets: ['first', 'second'] });
    expect(() => task(row, { ...mapping, target_field: 'note.length' })).toThrow(/no field 'note\.length'/);
    expect(() => task(row, { ...mapping, target_field: 'answers.0' })).toThrow(/no field 'answers\.0'/);
  });

  test('an empty question is refused with the way out', () => {
    expect(() => task({ question: ' ', answer: '' })).toThrow(
      "row 1: 'question' (dataset.input_field) is empty; dataset.select.not_empty: question leaves such rows out",
    );
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

  test.each([[null], [''], ['  '], [[]], [['', ' ']], [[null]], [[['a']]], [{ a: 1 }]])(
    'the target %j is refused',
    (answer) => {
      expect(() => task({ question: 'q', answer })).toThrow(/row 1: 'answer' \(dataset.target_field\)/);
    },
  );

  test.each([[null], [''], [[]], [['', ' ']]])(
    'how to leave out rows with the target %j is said',
    (answer) => {
      expect(() => task({ question: 'q', answer })).toThrow(
        /; dataset\.select\.not_empty: answer leaves such rows out$/,
      );
    },
  );

  test('a list is several right answers, each once', () => {
    const answer = ['Kyiv', 'Kiev', '', 'Kyiv', 1];
    expect(task({ question: 'q', answer })).toMatchObject({ target: 'Kyiv', targets: ['Kyiv', 'Kiev', '1'] });
    expect(task({ question: 'q', answer: ['Kyiv'] })).not.toHaveProperty('targets');
    const numeric = { ...exact, task_type: 'numeric', target_match: 'all' } as const;
    expect(task({ question: 'q', answer: [2, 5] }, numeric)).toMatchObject({
      targets: ['2', '5'],
      target_match: 'all',
    });
  });

  test.each<[DatasetRow['answer'], TaskMapping['target_match'], string[]]>([
    ['["politician", "political leader"]', 'any', ['politician', 'political leader']],
    ["['it\\'s', 'its']", 'any', ["it's", 'its']],
    ['["Paris"]', 'any', ['Paris']],
    ['Paris', 'any', ['Paris']],
    ["['a', 'b']", undefined, ["['a', 'b']"]],
    ['[2,5]', undefined, ['[2,5]']],
  ])('the text %j with target_match %s is the answers %j', (answer, target_match, answers) => {
    const { target, targets = [target] } = task({ question: 'q', answer }, { ...exact, target_match });
    expect(targets).toEqual(answers);
  });

  test('a boolean is accepted in words, and is no number', () => {
    expect(task({ question: 'q', answer: true }).targets).toEqual([
      'true',
      'True',
      'TRUE',
      'yes',
      'Yes',
      'YES',
    ]);
    expect(task({ question: 'q', answer: false }).targets).toContain('no');
    expect(() => task({ question: 'q', answer: true }, { ...exact, task_type: 'numeric' })).toThrow(
      /row 1: 'answer' \(dataset.target_field\) is true, which is no number/,
    );
  });

  test('a path goes through a list of objects', () => {
    const row: DatasetRow = {
      question: 'q',
      answers: [
        { text: 'a', start: 1 },
        { text: 'b', start: 2 },
      ],
    };
    expect(task(row, { ...exact, target_field: 'answers.text' }).targets).toEqual(['a', 'b']);
    expect(task(row, { ...exact, target_field: 'answers.1.text' }).target).toBe('b');
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
    const row: DatasetRow = { question: 'q', answer: 'a', level: 3, meta: { tags: ['x'], none: null } };
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
  const formatted = (prompt_template: string, row: DatasetRow) =>
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
  const chosen = (choices: DatasetRow['choices'], answer: DatasetRow['answer']) => {
    const found = task({ question: 'q', answer: answer as string, choices: choices as string[] }, mcq);
    return { choices: found.choices, target: found.target };
  };

  test.each([
    ['a letter is its choice', ['red', 'green'], 'B', 'green'],
    ['a letter in brackets is its choice', ['red', 'green'], '(B)', 'green'],
    ['a small letter is its choice', ['red', 'green'], 'b', 'green'],
    ['a small letter that is a choice to the letter is that one', ['A', 'a', 'B', 'b'], 'b', 'b'],
    ['a letter with its text is its choice', ['red', 'green'], 'B. green', 'green'],
    ['a text is its choice', ['red', 'green'], 'green', 'green'],
    ['a text is its choice but for case and markup', ['red', 'green'], '**Green**', 'green'],
    ['the same to the letter comes first', ['AA', 'Aa', 'aa'], 'Aa', 'Aa'],
    ['an index as a table with gaps has it', ['red', 'green'], '1.0', 'green'],
    ['an integer is a 0-based index', ['red', 'green'], 1, 'green'],
    ['an integer is an index also where the choices are numerals (MMLU)', ['4', '2', '1', '0'], 1, '2'],
    ['an integer that is no index but a numeral among them is that choice', ['10', '20'], 20, '20'],
    ['among numbers, a number is the choice', [3, 2, 1], 1, '1'],
    ['digits as text are the choice of that text', ['4', '2', '1', '0'], '1', '1'],
    ['digits as text are an index where no choice is that text', ['red', 'green'], '1', 'green'],
    ['an index among letters', ['B', 'A'], 0, 'B'],
    ['true is the choice that says yes', ['No.', 'Yes'], true, 'Yes'],
    ['false as a text is the choice that says no', ['yes', 'no'], 'False', 'no'],
    ['a list with one index', ['red', 'green'], [1], 'green'],
    ['a list in a text, as CSV holds it', ['red', 'green'], '["B"]', 'green'],
    ['a list in a text, as Python prints it', ['red', 'green'], "['B']", 'green'],
    ['marks, one of which is 1', ['red', 'green', 'blue'], [0, 0, 1], 'blue'],
    ['marks as NumPy prints them', ['red', 'green', 'blue'], '[0. 0. 1.]', 'blue'],
    ['marks by text', ['red', 'green'], { green: 1, red: 0 }, 'green'],
    ['marks by text, as CSV holds them', ['red', 'green'], "{'green': True, 'red': False}", 'green'],
    ['the text of a choice that looks like a list', ['[3]', '[1]', '[2]'], '[1]', '[1]'],
    ['the text of one of several lists', ['[1, 2]', '[2, 1]', '[]'], ' [2, 1]', '[2, 1]'],
    ['the text of a tuple', ["('a', 'b')", "('b', 'a')"], "('b', 'a')", "('b', 'a')"],
    ['a list that is no choice, among lists', ['[3]', '[1]', '[2]'], '["B"]', '[1]'],
  ])('%s', (_, choices, answer, target) => {
    expect(chosen(choices, answer)).toEqual({ choices: choices.map(String), target });
  });

  test.each([
    ['["red", "green"]', ['red', 'green']],
    ["['$6', \"it's\"]", ['$6', "it's"]],
    ["{'A': 'red', 'B': None, 'C': 'green'}", ['red', 'green']],
    ["['red' 'green'\n \"it's\"]", ['red', 'green', "it's"]],
    [
      "{'text': array(['red', 'green'], dtype=object), 'label': array(['A', 'B'], dtype=object)}",
      ['red', 'green'],
    ],
  ])('the text %s, as CSV holds it, is read', (text, choices) => {
    expect(chosen(text, 'A')).toEqual({ choices, target: choices[0] });
  });

  describe('an object of marks', () => {
    const marked = (scores: DatasetRow, mapping: Partial<TaskMapping> = {}) => {
      const row = { question: 'q', scores, answer: 'green' };
      const found = task(row, { ...mcq, choices_field: 'scores', target_field: 'scores', ...mapping });
      return [found.choices, found.target];
    };

    test('has the texts of the choices as its keys, and a 1 for the right one', () => {
      expect(marked({ red: 0, green: 1 })).toEqual([['red', 'green'], 'green']);
      expect(marked({ '12': 0, '13': 1 })).toEqual([['12', '13'], '13']);
      expect(marked({ red: false, green: true, blue: false })).toEqual([['red', 'green', 'blue'], 'green']);
      expect(() => marked({ red: 1, green: 1 })).toThrow(
        /names 2 choices, red, green; set dataset\.target_match/,
      );
    });

    test('may have the right one in another field', () => {
      const mapping = { target_field: 'answer' };
      expect(marked({ red: 0, green: 1, blue: 0 }, mapping)).toEqual([['red', 'green', 'blue'], 'green']);
      // Two numbers by label are to be chosen between.
      expect(marked({ red: 1, green: 0 }, mapping)).toEqual([['1', '0'], '0']);
      expect(marked({ red: 1, green: 2, blue: 2 }, mapping)).toEqual([['1', '2', '2'], '2']);
    });
  });

  test('an object of texts and labels keeps its order, and a label means its choice', () => {
    expect(chosen({ text: ['red', 'green', 'blue'], label: ['1', '2', '3'] }, '3')).toEqual({
      choices: ['red', 'green', 'blue'],
      target: 'blue',
    });
  });

  test.each([
    ['a text that is no list', "['red' and 'green']", /not a list such as/],
    ['a number', 3, /is a number/],
    ['an object without texts', { a: 1 }, /is an object/],
    ['a list with null in it', ['a', null], /a choice in 'choices'.*is null/],
    ...[null, [], '[]', ' ', ['', ''], { A: null, B: '' }].map((empty): [string, unknown, RegExp] => [
      `nothing, as ${JSON.stringify(empty)},`,
      empty,
      /; dataset\.select\.not_empty: choices leaves such rows out$/,
    ]),
  ])('%s is refused', (_, choices, reason) => {
    expect(() => chosen(choices as string[], 'A')).toThrow(reason);
  });

  test.each([[2], [-1], [0.5], ['C'], ['violet'], ['B. red'], ['9'], [['A', 'Z']], [true], ['True']])(
    'the target %j is refused where it names no choice',
    (answer) => {
      expect(() => chosen(['red', 'green'], answer)).toThrow(
        /^row 1: target `.*` \('answer', dataset\.target_field\) is (?:none of the choices|a boolean, and the choices) red, green/,
      );
    },
  );

  test('empty texts at the end of a list are no choices, and others keep their letters', () => {
    const padded = ['red', 'green', '', ''];
    for (const answer of [1, 'B', 'green', [0, 1, 0, 0], '[0, 1, 0, 0]'] as DatasetRow['answer'][])
      expect(chosen(padded, answer)).toEqual({ choices: ['red', 'green'], target: 'green' });
    for (const answer of [2, 3, 'C', 'D', [0, 0, 0, 1], [0, 0, 1]] as DatasetRow['answer'][])
      expect(() => chosen(padded, answer)).toThrow(/none of the choices red, green/);
    expect(() => chosen(padded, 2)).toThrow(/set dataset\.target_base: 1/);
    expect(() => chosen(padded, 3)).not.toThrow(/target_base: 1/);
    for (const choices of [
      ['', ',', ';'],
      [',', '', ';'],
    ])
      for (const [place, answer] of ['A', 'B', 'C'].entries())
        expect(task({ question: 'q', choices, answer }, mcq)).toMatchObject({
          choices,
          right_choices: [place],
        });
    expect(chosen(['red', '', 'green', ''], [0, 0, 1, 0]).target).toBe('green');
    expect(chosen("['red', 'green', '']", 'B')).toEqual({ choices: ['red', 'green'], target: 'green' });
    expect(chosen([',', ' ', ';'], 'B')).toEqual({ choices: [',', ' ', ';'], target: ' ' });
    const labelled = { A: 'red', B: null, C: 'green' };
    for (const marks of [
      [0, 0, 1],
      [0, 1],
    ])
      expect(chosen(labelled, marks)).toEqual({ choices: ['red', 'green'], target: 'green' });
  });

  test('the way out is the other base where that fits', () => {
    const refusal = (answer: DatasetRow['answer'], mapping: Partial<TaskMapping> = {}) => {
      try {
        task({ question: 'q', choices: ['red', 'green'], answer: answer as string }, { ...mcq, ...mapping });
      } catch (error) {
        return (error as Error).message;
      }
      return null;
    };
    expect(refusal('2')).toMatch(
      /set dataset\.target_base: 1 where indices count from 1; a few faulty rows are left out by dataset\.select\.where/,
    );
    expect(refusal('2', { target_base: 1 })).toBeNull();
    expect(refusal(0, { target_base: 1 })).toMatch(
      /set dataset\.target_base: 0 where indices count from 0; /,
    );
    expect(refusal('violet')).toMatch(
      /Correct it, or set dataset\.target_base; a few faulty rows are left out by dataset\.select\.where: \{answer: \[…\]\} with/,
    );
    expect(refusal('B', { target_base: 'none' })).toMatch(/red, green by its text\./);
    expect(refusal('red', { target_base: 'A' })).toMatch(/red, green by letter\./);
    expect(refusal(-1)).toMatch(/leave them out with dataset\.select\.where: \{answer: \[0, 1\]\}\.$/);
    expect(refusal('-1.0', { target_base: 1 })).toMatch(/\{answer: \[1, 2\]\}\.$/);
    expect(refusal('-')).toMatch(/\{answer: \[red, green\]\}\.$/);
    expect(refusal('red', { target_base: 1 })).toMatch(/counted from 1/);
  });

  test.each<[string, TaskMapping['target_base'], DatasetRow['choices'], DatasetRow['answer'], string]>([
    ['an index from 1', 1, ['red', 'green'], 1, 'red'],
    ['an index from 1, as a text', 1, ['red', 'green'], '2', 'green'],
    ['an index from 1 among numerals', 1, ['3', '1', '2'], '1', '3'],
    ['an index from 0 among numerals', 0, ['4', '2', '1', '0'], '1', '2'],
    ['a letter among letters', 'A', ['O', 'A', 'B', 'AB'], 'B', 'A'],
    ['a text among letters', 'none', ['O', 'A', 'B', 'AB'], 'B', 'B'],
    ['a text among numbers', 'none', ['3', '1', '2'], 1, '1'],
  ])('target_base says %s', (_, target_base, choices, answer, target) => {
    const row = { question: 'q', choices: choices as string[], answer: answer as string };
    expect(task(row, { ...mcq, target_base }).target).toBe(target);
  });

  test('a label and an index that disagree are refused', () => {
    const row = {
      question: 'q',
      choices: { text: ['red', 'green', 'blue'], label: ['1', '2', '3'] },
      answer: '2',
    };
    expect(task(row, mcq).target).toBe('green');
    expect(task(row, { ...mcq, target_base: 1 }).target).toBe('green');
    expect(() => task(row, { ...mcq, target_base: 0 })).toThrow(
      /row 1: target `2`.*is the label of `green`.*`blue`/,
    );
    expect(() => task({ ...row, answer: 0 }, mcq)).toThrow(
      /none of the choices red, green, blue \(1, 2, 3\)/,
    );
    const short = { ...row, choices: { text: ['red', 'green'], label: ['A'] } };
    expect(() => task(short, mcq)).toThrow(/2 choices and 1 labels/);
  });

  test('a choice is right by its position, and so is another one of the same text', () => {
    const right = (choices: string[], answer: DatasetRow['answer']) =>
      task({ question: 'q', choices, answer: answer as string }, mcq).right_choices;
    expect(right(['AA', 'Aa', 'aa'], 1)).toEqual([1]);
    expect(right(['B', 'A'], 0)).toEqual([0]);
    expect(right(['same', 'same', 'other'], 1)).toEqual([0, 1]);
    expect(right(['same', 'other', 'same'], 'same')).toEqual([0, 2]);
  });

  describe('several right ones', () => {
    const row = (answer: DatasetRow['answer']) =>
      ({ question: 'q', choices: ['red', 'green', 'blue'], answer }) as DatasetRow;

    test.each([
      ['AC'],
      ['A, C'],
      ['(A) and (C)'],
      ['A;C'],
      [['A', 'C']],
      [[0, 2]],
      [[1, 0, 1]],
      [['red', 'blue']],
    ])('%j', (answer) => {
      for (const target_match of ['any', 'all'] as const) {
        expect(task(row(answer), { ...mcq, target_match })).toMatchObject({
          right_choices: [0, 2],
          target: 'red',
          targets: ['red', 'blue'],
          target_match,
        });
      }
      expect(() => task(row(answer), mcq)).toThrow(
        /^row 1: target `.*` \('answer', dataset\.target_field\) names 2 choices, red, blue; set dataset\.target_match/,
      );
    });

    test('the same one twice is one', () => {
      expect(task(row(['A', 'red', 0]), mcq).right_choices).toEqual([0]);
    });
  });

  describe('in other forms', () => {
    const texts = (choices: DatasetRow['choices'], answer: DatasetRow['answer'], question = 'q') => {
      const { choices: found, target } = task({ question, choices, answer } as DatasetRow, mcq);
      return [found, target];
    };

    test('an object of texts by label, some of which a row lacks', () => {
      const options = { A: 'lead', B: null, C: 'zinc', D: 'tin' };
      expect(texts(options, 'C')).toEqual([['lead', 'zinc', 'tin'], 'zinc']);
      expect(() => texts(options, 'B')).toThrow(/none of the choices lead, zinc, tin \(A, C, D\)/);
    });

    test('letters before the texts are labels, in whatever order', () => {
      expect(texts(['A)21', 'B)21.5', 'C)24'], 'C')).toEqual([['21', '21.5', '24'], '24']);
      expect(texts(['(B) iron', '(A) lead'], 'A')).toEqual([['iron', 'lead'], 'lead']);
      expect(texts(['A. Smith', 'J. Jones'], 'B')).toEqual([['A. Smith', 'J. Jones'], 'J. Jones']);
    });

    test('a list of objects', () => {
      const choices = [
        { key: 'A', value: 'lead' },
        { key: 'B', value: 'iron' },
      ];
      expect(texts(choices, 'B')).toEqual([['lead', 'iron'], 'iron']);
      expect(() => texts([{ a: 1 }, { a: 2 }], 'B')).toThrow(/its fields are: a/);
      const named = (...ids: (string | number)[]) =>
        ids.map((id, index) => ({ id, text: ['lead', 'iron', 'tin'][index] as string }));
      expect(texts(named('C', 'A', 'B'), 'A')).toEqual([['lead', 'iron', 'tin'], 'iron']);
      expect(texts(named('opt-7', 'opt-3'), 'opt-3')).toEqual([['lead', 'iron'], 'iron']);
      expect(texts(named('opt-7', 'opt-3'), 0)).toEqual([['lead', 'iron'], 'lead']);
      expect(texts(named('opt-7', 'opt-3'), 'B')).toEqual([['lead', 'iron'], 'iron']);
      expect(texts(named(8713, 8714), 0)).toEqual([['lead', 'iron'], 'lead']);
      expect(texts(named('1', '2', '3'), 1)).toEqual([['lead', 'iron', 'tin'], 'iron']);
    });

    test('a path to texts finds the labels beside them', () => {
      const row = { question: 'q', choices: { text: ['lead', 'iron'], label: ['1', '2'] }, answer: '1' };
      expect(task(row, { ...mcq, choices_field: 'choices.text' }).target).toBe('lead');
    });

    test('options in a text', () => {
      expect(texts('a ) 38 , b ) 27.675 , c ) none, d ) 3', 'b')).toEqual([
        ['38', '27.675', 'none', '3'],
        '27.675',
      ]);
      expect(texts('(A) lead (B) iron', '(B)')).toEqual([['lead', 'iron'], 'iron']);
    });

    test('options in the question, of which the last list is its own', () => {
      const question =
        'Q: Which?\n(A) x\n(B) y\nA: (A)\n\nQ: What now?\nOptions:\n(A) lead\n(B) iron\n(C) zinc';
      const inQuestion = { ...mcq, choices_field: null };
      expect(task({ question, answer: '(C)' }, inQuestion)).toMatchObject({
        choices: ['lead', 'iron', 'zinc'],
        target: 'zinc',
      });
      const dashed = 'Did it?\nOptions:\n- Yes\n- No';
      expect(task({ question: dashed, answer: 'No' }, inQuestion)).toMatchObject({
        choices: ['Yes', 'No'],
        target: 'No',
      });
      expect(() => task({ question: 'A plan B?', answer: 'B' }, inQuestion)).toThrow(
        /row 1: task_type mcq needs dataset\.choices_field/,
      );
      expect(() => task({ question, answer: 'A' }, { ...inQuestion, shuffle_choices: true })).toThrow(
        /cannot be shuffled/,
      );
    });

    test('the same choices for every row', () => {
      const boolq: TaskMapping = { ...mcq, choices_field: null, choices: [false, true] };
      expect(task({ question: 'q', answer: true }, boolq)).toMatchObject({
        choices: ['false', 'true'],
        right_choices: [1],
      });
      expect(task({ question: 'q', answer: 0 }, boolq).target).toBe('false');
    });
  });

  describe('shuffled', () => {
    const rows: DatasetRow[] = Array.from({ length: 120 }, (_, index) => ({
      question: `q${index}`,
      mc1: { choices: ['true', 'myth', 'tale'], labels: [1, 0, 0] },
    }));
    const truthful: TaskMapping = { ...mcq, choices_field: 'mc1.choices', target_field: 'mc1.labels' };

    test.each([
      ['where the config says so', { ...truthful, shuffle_choices: true }],
      ['where the target is a place in the list', { ...truthful, target_field: 'mc1.choices.0' }],
    ])('%s, by the seed, and the target goes with its choice', async (_, mapping) => {
      const orders = async (seed: number) => await tasks(rows, { ...mapping, seed });
      const found = await orders(1);
      const places = [0, 0, 0];
      for (const { choices = [], right_choices = [], target } of found) {
        const [place = -1] = right_choices;
        expect([choices[place], target, right_choices.length]).toEqual(['true', 'true', 1]);
        places[place] = (places[place] ?? 0) + 1;
      }
      for (const count of places) expect(count).toBeGreaterThan(20);
      expect(await orders(1)).toEqual(found);
      expect(await orders(2)).not.toEqual(found);
    });

    test('and not where it says no', async () => {
      const mapping = { ...truthful, target_field: 'mc1.choices.0', shuffle_choices: false };
      for (const { choices } of await tasks(rows, mapping)) expect(choices).toEqual(['true', 'myth', 'tale']);
    });

    test('never where the question shows them in their order', () => {
      const mapping: TaskMapping = {
        ...truthful,
        shuffle_choices: true,
        prompt_template: '{question}\n(A) {mc1.choices.0}\n(B) {mc1.choices.1}\n(C) {mc1.choices.2}',
      };
      expect(() => task(rows[0] as DatasetRow, mapping)).toThrow(/row 1: .*dataset\.shuffle_choices/);
      expect(task(rows[0] as DatasetRow, { ...mapping, shuffle_choices: false }).target).toBe('true');
    });
  });

  test('rows without choices are left to an environment of one’s own', () => {
    const own: TaskMapping = { ...mcq, task_type: 'custom', env_class: 'OwnEnv' };
    for (const choices of [[], null, ' ', '[]', ['', '']])
      expect(task({ question: 'q', choices, answer: '12.5' }, own)).toMatchObject({
        choices: [],
        target: '12.5',
      });
    const mixed: TaskMapping = { ...own, task_type: 'mcq', env_file: 'own.ts' };
    expect(task({ question: 'q', choices: [], answer: '12.5' }, mixed).target).toBe('12.5');
    expect(task({ question: 'q', choices: ['a', 'b'], answer: 'A' }, mixed).right_choices).toEqual([0]);
  });

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

    test('places that a row leaves empty count for letters and indices', () => {
      const four = { ...exact, task_type: 'mcq', choices_field: ['p', 'q', 'r', 's'] } as const;
      const row = { question: 'q', p: 'red', q: '', r: 'blue' };
      expect(task({ ...row, answer: 2 }, four)).toMatchObject({ choices: ['red', 'blue'], target: 'blue' });
      expect(task({ ...row, answer: 'C' }, four).target).toBe('blue');
      expect(task({ ...row, answer: 'r' }, four).target).toBe('blue');
      for (const answer of [1, 'B', 'q', 3])
        expect(() => task({ ...row, answer }, four)).toThrow(/none of the choices red, blue \(p, r\)/);
      expect(() => task({ question: 'q', p: 'red', answer: 0 }, four)).toThrow(/no field 'q'/);
    });

    test('a field that no row has is refused', async () => {
      const mapping: Partial<TaskMapping> = { task_type: 'mcq', choices_field: ['p', 'q', 'typo'] };
      const several = [0, 1].map((answer) => ({ question: 'q', p: 'red', q: 'green', answer }));
      await expect(tasks(several, mapping)).rejects.toThrow(
        /no row has a choice in the field 'typo' \(dataset\.choices_field\).*question, p, q, answer/,
      );
      const some = [...several, { question: 'q', p: 'a', q: 'b', typo: 'c', answer: 2 }];
      expect(await tasks(some, mapping)).toHaveLength(3);
    });

    test('a row whose right answer is missing is refused', () => {
      const row = { ...rows[0], 'Correct Answer': null } as DatasetRow;
      expect(() => task(row, gpqa)).toThrow(/'Correct Answer' \(dataset.target_field\) is null/);
    });
  });
});

describe('what is said of a dataset as a whole', () => {
  const saidOf = async (rows: DatasetRow[], mapping: Partial<TaskMapping> = {}) => {
    const said: string[] = [];
    const numbered = rows.map((row, index) => ({ ...row, question: `q${index} ${row.question}` }));
    await collect(tasksOf(numbered, { ...mcq, ...mapping }, (sentence) => void said.push(sentence)));
    return said;
  };
  const row = (answer: DatasetRow['answer'], choices: DatasetRow['choices'] = ['red', 'green', 'blue']) =>
    ({ question: 'q', choices, answer }) as DatasetRow;
  const plain: Partial<TaskMapping> = { task_type: 'exact', choices_field: null };
  const bare = (answer: DatasetRow['answer']): DatasetRow => ({ question: 'q', answer: answer as string });

  test.each<[string, DatasetRow[], Partial<TaskMapping>, RegExp[]]>([
    ['indices that a 0 tells', [row(2), row(0)], {}, []],
    ['indices that would fit from 1', [row(2), row('1')], {}, [/indices from 0 .*dataset\.target_base: 1/]],
    ['indices with a base', [row(2), row('1')], { target_base: 0 }, []],
    ['letters', [row('B'), row('A')], {}, []],
    ['labels that are numbers', [row('1', { text: ['red', 'green'], label: ['1', '2'] })], {}, []],
    ['indices beside letters, none of which tells', [row('B'), row(1)], {}, [/indices from 0/]],
    [
      'letters that could be texts',
      [row('B', ['O', 'A', 'B'])],
      {},
      [/Row 1: target `B` .*a letter.*the text of a choice.*target_base: none/],
    ],
    ['letters, as other rows tell', [row('B', ['O', 'A', 'B']), row('A')], {}, []],
    [
      'numbers that could be indices',
      [row(1, [2, 1, 0])],
      {},
      [/^Row 1: target `1` .*the text of a choice.*an index from 1/],
    ],
    ['numbers, as other rows tell', [row(1, [2, 1, 0]), row(7, [7, 8])], {}, []],
    ['a right choice that stands twice', [row(0, ['x', 'y', 'x'])], {}, [/^Row 1 .*`x` .*A and C/]],
    ['another one that stands twice', [row(0, ['x', 'y', 'y'])], {}, []],
    [
      'a right choice always in one place',
      Array.from({ length: 6 }, () => row('A')),
      {},
      [/is A in each of the 6 rows/],
    ],
    [
      'indices of the config’s choices',
      [row(1), row(0)],
      { choices_field: null, choices: ['yes', 'no'] },
      [/^Targets are indices: 0 is read as `yes`, 1 as `no` \(the order of dataset\.choices\)/],
    ],
    [
      'the same with a base',
      [row(1), row(0)],
      { choices_field: null, choices: ['yes', 'no'], target_base: 0 },
      [],
    ],
    ['booleans of the config’s choices', [row(true)], { choices_field: null, choices: ['yes', 'no'] }, []],
    [
      'texts of lists',
      [bare('["a"]'), bare("['b', 'c']")],
      plain,
      [/^Every target .* text of a list.*dataset\.target_match: any/],
    ],
    [
      'texts, some of which are lists',
      [bare("['a', 'b']"), bare("['c', None]"), bare('[1999, 2000]'), bare('d'), bare('e')],
      plain,
      [/^3 of 5 targets .* text of a list.*dataset\.target_match: any/],
    ],
    ['texts of which half are lists', ['["a"]', '[1, 2]', '7', 'x'].map(bare), plain, []],
    ['the same with target_match', [bare('["a"]')], { ...plain, target_match: 'any' }, []],
    ['texts, one of which is a list', [bare('["a"]'), bare('b')], plain, []],
    ['texts of lists of numbers', [bare('[2,5]')], plain, [/text of a list/]],
    ['the same as mathematics', [bare('[2,5]'), bare('[1]')], { ...plain, task_type: 'numeric' }, []],
    ['texts in brackets', [bare('[sic]'), bare('[None]'), bare('[]')], plain, []],
    ['lists', [bare(['a', 'b'])], plain, []],
    [
      'texts of booleans',
      [bare('True'), bare('False')],
      plain,
      [/text of a boolean.*dataset\.choices: \["yes"/],
    ],
    ['texts, one of which is of a boolean', [bare('True'), bare('Unknown')], plain, []],
    ['booleans', [bare(true)], plain, []],
    [
      'letters of choices that are not shown',
      [row('B'), row('(A)')],
      plain,
      [
        /^Every target .* in the field 'choices', which the question does not show\. Set dataset\.choices_field: choices/,
      ],
    ],
    [
      'labels, indices and letters of other fields',
      [
        { question: 'q', options: "{'A': 'red', 'B': 'green'}", answer: 'B' },
        { question: 'q', options: ['red', 'green'], answer: 1 },
      ],
      plain,
      [/in the field 'options'/],
    ],
    ['letters, one of which is of no choice', [row('B'), row('Z')], plain, []],
    [
      'letters of choices that an image may show',
      [{ ...row('B'), image: 'a.png' }],
      { ...plain, image_field: 'image' },
      [],
    ],
    [
      'letters of choices that are shown with other spaces',
      [{ ...row('B', [' deep  red ', 'green\n']), question: 'A. deep red\nB. green' }],
      plain,
      [],
    ],
    [
      'letters of choices that are shown in JSON',
      [row('B', ['"red"', 'deep\ngreen'])],
      { ...plain, prompt_template: '{question} {choices}' },
      [],
    ],
    ['letters of choices in the system message', [row('B')], { ...plain, system: '{choices}' }, []],
    [
      'letters of choices in an earlier message',
      [
        {
          ...row('B'),
          chat: [
            { role: 'user', content: 'red, green or blue?' },
            { role: 'assistant', content: 'Well.' },
            { role: 'user', content: 'Say it.' },
          ],
        },
      ],
      { ...plain, input_field: 'chat' },
      [],
    ],
    ['texts of choices that are not shown', [row('red'), row('green')], plain, []],
    ['numbers of choices that are not shown', [row('3', ['2', '3', '4'])], plain, []],
    [
      'letters of choices that the question shows',
      [row('B'), row('C')],
      { ...plain, prompt_template: '{question} {choices}' },
      [],
    ],
    [
      'shuffled choices that speak of others',
      [row('D', ['x', 'y', 'z', 'All of the above']), row('A', ['x', 'y', 'Both A and B']), row('A')],
      { shuffle_choices: true },
      [/^Row 1 \(dataset\.shuffle_choices\): the choice `All of the above` .*, and so it is in 1 more;/],
    ],
    [
      'such choices in their order',
      [row('D', ['x', 'y', 'z', 'All of the above'])],
      { target_base: 'A' },
      [],
    ],
    [
      'shuffled choices that speak of nothing above',
      [row('A', ['None of these', 'vitamins A and D', 'a or an', 'all of them', 'A and E numbers'])],
      { shuffle_choices: true },
      [],
    ],
    [
      'images that are not shown',
      [
        { question: '<image 1> or <image 2>?', image: 'a.png', answer: 'x' },
        { ...bare('y'), image: 'a.png' },
      ],
      { ...plain, image_field: 'image' },
      [/^Row 1 \(dataset\.image_field\): <image 2> is named, and the row has fewer images;/],
    ],
    [
      'images of choices that are not shown',
      [{ ...row('A', ['<image 1>', '<image 2>']), image: 'a.png' }],
      { image_field: 'image' },
      [/<image 2> is named/],
    ],
    [
      'images from several fields',
      [
        {
          question: '<image 1> or <image 2>?',
          image_1: 'a.png',
          image_2: 'b.png',
          image_3: null,
          answer: 'x',
        },
      ],
      { ...plain, image_field: ['image_1', 'image_2', 'image_3'] },
      [],
    ],
    [
      'images from several fields, some of which a row leaves out',
      [
        { ...bare('x'), image_1: 'a.png' },
        { ...bare('y'), image_2: 'b.png' },
      ],
      { ...plain, image_field: ['image_1', 'image_2'] },
      [],
    ],
    [
      'images from several fields, one of which no row has',
      [{ ...bare('x'), image_1: 'a.png' }],
      { ...plain, image_field: ['image_1', 'imge_2'] },
      [/^No sample has a field 'imge_2' \(dataset\.image_field\)\.$/],
    ],
    [
      'images that an environment of one’s own may show',
      [{ question: '<image 1>?', answer: 'x' }],
      { ...plain, task_type: 'custom', env_class: 'OwnEnv' },
      [],
    ],
    ['the same, of few rows', Array.from({ length: 3 }, () => row('A')), {}, []],
    ['the same, shuffled', Array.from({ length: 6 }, () => row('A')), { shuffle_choices: true }, []],
  ])('%s', async (_, rows, mapping, wanted) => {
    const said = await saidOf(rows, mapping);
    expect(said).toHaveLength(wanted.length);
    for (const [index, pattern] of wanted.entries()) expect(said[index]).toMatch(pattern);
  });

  test.each<[string, DatasetRow[], RegExp]>([
    [
      'texts, one of which was taken for a letter',
      [row('B', ['O', 'A', 'B']), row('red')],
      /^row 1: target `B` .*is read as a letter, and every target of the dataset could be the text of a choice.*target_base: none/,
    ],
    [
      'indices in a table, one of which was taken for a text',
      [row('0'), row('1', ['4', '2', '1'])],
      /^row 2: target `1` .*is read as the text of a choice.*an index from 0.*target_base: 0/,
    ],
  ])('%s are refused', async (_, rows, message) => {
    await expect(saidOf(rows)).rejects.toThrow(message);
  });

  test('rows that ask the same as another one are counted', async () => {
    const said: string[] = [];
    const repeats = (rows: DatasetRow[], mapping: Partial<TaskMapping> = {}) =>
      collect(tasksOf(rows, { ...mcq, ...mapping }, (sentence) => void said.push(sentence)));
    await repeats([row('A'), row('B'), row('A'), row('A', ['red', 'green']), row('A')]);
    expect(said).toEqual([expect.stringMatching(/^Row 3 has .* and so it is in 1 more; each is a sample/)]);
    await repeats([row('A'), row('A')], { shuffle_choices: true });
    await repeats([bare('a'), bare('a')], plain);
    expect(said).toHaveLength(3);
    await repeats([bare('a'), bare('b')], plain);
    await repeats(
      [
        { ...bare('a'), image: 'a.png' },
        { ...bare('a'), image: 'b.png' },
      ],
      { ...plain, image_field: 'image' },
    );
    const [begin, end] = ['R0lG'.repeat(100), 'AAAA'.repeat(100)];
    const images = [`${begin}a${end}`, `${begin}${end}`, `b${begin}${end}`, `${begin}${end}b`];
    await repeats(
      images.map((bytes) => ({ ...bare('a'), image: { bytes } })),
      { ...plain, image_field: 'image' },
    );
    for (const task_type of ['custom', 'exact'] as const)
      await repeats([bare('a'), bare('a')], { ...plain, task_type, env_class: 'OwnEnv' });
    expect(said).toHaveLength(3);
  });

  test('rows that are not asked tell what indices count from', async () => {
    const asked = { max_envs_to_visit: 2 };
    expect(await saidOf([row(2), row(1), row(0)], asked)).toEqual([]);
    await expect(saidOf([row(2), row(1), row(2), row(3)], asked)).rejects.toThrow(
      /^row 4: target `3` .*target_base: 1/,
    );
    expect(await saidOf([row(2), row(1), row('violet'), { question: 'q' }], asked)).toEqual([
      expect.stringContaining('indices from 0'),
    ]);
    expect(await saidOf([row(0), row(1), row(3)], asked)).toEqual([]);
    const padded = ['red', 'green', ''];
    await expect(saidOf([row(2), row(1), row(2, padded)], asked)).rejects.toThrow(/target_base: 1/);
    const fields = { ...asked, choices_field: ['p', 'q', 'r'] };
    const [full, short] = [
      { ...bare(1), p: 'a', q: 'b', r: 'c' },
      { ...bare(2), p: 'a', q: 'b', r: null },
    ];
    await expect(saidOf([full, full, short], fields)).rejects.toThrow(/^row 3: .*target_base: 1/);
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
