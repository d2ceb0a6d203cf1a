import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../src/datasets/row.js';
import { type RowSelection, rangeOf } from '../../src/datasets/selection.js';
import { type TaskMapping, tasksOf } from '../../src/datasets/tasks.js';
import { collect } from './collect.js';

const exact: TaskMapping = { task_type: 'exact', input_field: 'question', target_field: 'answer' };
const SUBJECTS = ['algebra', 'geometry', 'number theory'];
const numbered = (count: number): DatasetRow[] =>
  Array.from({ length: count }, (_, index) => ({
    question: `q${index}`,
    answer: index,
    key: `k${index}`,
    level: index % 5,
    meta: { subject: SUBJECTS[index % 3] as string, tags: index % 2 === 0 ? ['even'] : ['odd', 'x'] },
  }));

/** The ids of the samples that a selection makes of rows, and the sentences for people. */
async function selected(select: RowSelection, mapping: Partial<TaskMapping> = {}, rows = numbered(30)) {
  const notes: string[] = [];
  const tasks = await collect(tasksOf(rows, { ...exact, select, ...mapping }, (note) => notes.push(note)));
  expect(tasks.map(({ index }) => index)).toEqual(tasks.map((_, index) => index));
  return { ids: tasks.map(({ id }) => id), notes };
}

/** Rows that must not be read to their end. */
function* endless(): Generator<DatasetRow> {
  for (let index = 0; ; index += 1) {
    if (index > 5000) throw new Error('read on without need');
    yield { question: `q${index}`, answer: index, key: `k${index}` };
  }
}

describe('ids', () => {
  test('of rows without an id_field are their numbers from 0, in the order of the file', async () => {
    expect((await selected({ ids: ['7', '0', '7'] })).ids).toEqual(['0', '7']);
  });

  test('are those of the id_field where there is one', async () => {
    expect((await selected({ ids: ['k3', 'k1'] }, { id_field: 'key' })).ids).toEqual(['k1', 'k3']);
  });

  test('one that is not there is refused with the nearest', async () => {
    await expect(selected({ ids: ['k1', 'k71', 'zz'] }, { id_field: 'key' })).rejects.toMatchObject({
      name: 'DatasetError',
      field: 'dataset.select.ids',
      message:
        'there is no sample "k71", nor 1 more of those named (dataset.select.ids); the nearest ids are k1, k7, k11',
    });
  });

  test('one of rows that have none but their numbers is refused with that', async () => {
    await expect(selected({ ids: ['30'] })).rejects.toThrow(
      'there is no sample "30" (dataset.select.ids); the nearest ids are 0, 3, 10 (row numbers from 0, without a dataset.id_field)',
    );
  });

  test('no row is read after the last one', async () => {
    const tasks = await collect(tasksOf(endless(), { ...exact, select: { ids: ['40', '2'] } }));
    expect(tasks.map(({ id }) => id)).toEqual(['2', '40']);
  });

  test('a row without an id, and any other fault of a row that is not selected, does not matter', async () => {
    const rows: DatasetRow[] = [{ key: null }, { question: 'q', answer: 'a', key: 'mine' }];
    expect((await selected({ ids: ['mine'] }, { id_field: 'key' }, rows)).ids).toEqual(['mine']);
  });

  test('an id that two selected rows have is refused', async () => {
    const rows = [...numbered(2), ...numbered(2)];
    await expect(selected({ range: '1-4' }, { id_field: 'key' }, rows)).rejects.toThrow(/same id "k0"/);
  });
});

describe('range', () => {
  test.each([
    ['1-3', ['0', '1', '2']],
    ['28-', ['27', '28', '29']],
    ['30-30', ['29']],
    [' 29 - 99 ', ['28', '29']],
  ])('%j counts rows from 1, the last one included', async (range, ids) => {
    expect((await selected({ range })).ids).toEqual(ids);
  });

  test('one that begins after the last row is refused', async () => {
    await expect(selected({ range: '31-40' })).rejects.toMatchObject({
      field: 'dataset.select.range',
      message: 'the dataset has only 30 rows (dataset.select.range)',
    });
  });

  test.each(['', '3', '0-3', '5-3', 'a-b', '-3', '1-2-3', '1.5-2'])('%j is no range', (text) => {
    expect(rangeOf(text)).toBeNull();
  });

  test('no row is read after it', async () => {
    expect(await collect(tasksOf(endless(), { ...exact, select: { range: '11-20' } }))).toHaveLength(10);
  });
});

describe('where', () => {
  test.each<[string, RowSelection['where'], number]>([
    ['a number', { level: 4 }, 6],
    ['one of several', { level: [3, 4] }, 12],
    ['a dotted path', { 'meta.subject': 'algebra' }, 10],
    ['an item of a list', { 'meta.tags': 'x' }, 15],
    ['several fields at once', { level: 0, 'meta.subject': ['algebra', 'geometry'] }, 4],
  ])('by %s', async (_, where, count) => {
    expect((await selected({ where })).ids).toHaveLength(count);
  });

  test('a number is the same in a text of a CSV file, and a boolean in any spelling', async () => {
    const rows: DatasetRow[] = ['5', '5.0', '05', 'five', '', null].map((level) => ({
      question: 'q',
      answer: 'a',
      level,
      ok: level === '5' ? 'True' : 'False',
    }));
    expect((await selected({ where: { level: 5 } }, {}, rows)).ids).toEqual(['0', '1', '2']);
    expect((await selected({ where: { level: '5' } }, {}, rows)).ids).toEqual(['0']);
    expect((await selected({ where: { ok: true } }, {}, rows)).ids).toEqual(['0']);
    expect((await selected({ where: { level: 0 } }, {}, [...rows, ...numbered(1)])).ids).toEqual(['6']);
  });

  test.each<[RowSelection['where'], string]>([
    [
      { lvel: 4 },
      "no row has a field 'lvel' (dataset.select.where); the last one has: question, answer, key, level, meta.subject, meta.tags",
    ],
    [{ level: 7 }, 'no row has level 7 (dataset.select.where); there are 0, 1, 2, 3, 4'],
    [
      { 'meta.subject': ['topology', 'logic'] },
      'no row has meta.subject "topology" or "logic" (dataset.select.where); there are "algebra", "geometry", "number theory"',
    ],
  ])('%j, which no row has, is refused', async (where, message) => {
    await expect(selected({ where })).rejects.toMatchObject({ field: 'dataset.select.where', message });
  });

  test('conditions that no row meets together are refused', async () => {
    const rows = [
      { question: 'q', answer: 'a', x: 1, y: 1 },
      { question: 'q', answer: 'a', x: 2, y: 2 },
    ];
    await expect(selected({ where: { x: 1, y: 2 } }, {}, rows)).rejects.toThrow(
      'none of the 2 rows meets all conditions of dataset.select',
    );
  });

  test('a value of several that no row has is said', async () => {
    const { ids, notes } = await selected({ where: { 'meta.subject': ['algebra', 'geometri'] } });
    expect(ids).toHaveLength(10);
    expect(notes).toEqual(['No row has meta.subject "geometri" (dataset.select.where).']);
  });
});

describe('not_empty', () => {
  const answers: DatasetRow[] = [
    { text: ['a'], start: [0] },
    { text: [], start: [] },
    { text: ['', null], start: [] },
    { text: '', start: null },
    { text: ' [ ] ', start: null },
    { text: 0, start: false },
    {},
  ];
  const rows: DatasetRow[] = answers.map((one) => ({ question: 'q', answer: 'a', answers: one }));

  test.each<[RowSelection['not_empty'], string[]]>([
    ['answers.text', ['0', '5']],
    ['answers', ['0', '5']],
    [
      ['answers.text', 'question'],
      ['0', '5'],
    ],
    ['question', ['0', '1', '2', '3', '4', '5', '6']],
  ])('%j takes rows whose field holds something', async (not_empty, ids) => {
    expect((await selected({ not_empty }, {}, rows)).ids).toEqual(ids);
  });

  test('a field that holds nothing in any row is refused', async () => {
    await expect(selected({ not_empty: ['question', 'anwsers'] }, {}, rows)).rejects.toMatchObject({
      field: 'dataset.select.not_empty',
      message:
        "no row has anything in the field 'anwsers' (dataset.select.not_empty); the last one has: question, answer, answers",
    });
  });
});

describe('random', () => {
  const drawn = (random: number, mapping: Partial<TaskMapping> = {}, rows = numbered(1000)) =>
    selected({ random }, { seed: 1, ...mapping }, rows).then(({ ids }) => ids);

  test('draws so many, the same ones by the same seed, in the order of the file', async () => {
    const ids = await drawn(50);
    expect(new Set(ids).size).toBe(50);
    expect(ids).toEqual([...ids].sort((left, right) => Number(left) - Number(right)));
    expect(await drawn(50)).toEqual(ids);
    expect(await drawn(50, { seed: 2 })).not.toEqual(ids);
  });

  test('fewer are a part of more, and further rows of a file take few places', async () => {
    const ids = await drawn(50);
    expect((await drawn(100)).filter((id) => ids.includes(id))).toEqual(ids);
    const further = await drawn(50, {}, numbered(1100));
    expect(further.filter((id) => ids.includes(id)).length).toBeGreaterThan(35);
  });

  test('each row is as likely as any other', async () => {
    const counts = Array.from({ length: 10 }, () => 0);
    for (let seed = 0; seed < 2000; seed += 1) {
      for (const id of await drawn(3, { seed }, numbered(10)))
        counts[Number(id)] = (counts[Number(id)] ?? 0) + 1;
    }
    // 600 are expected, with a standard deviation of 20.
    for (const count of counts) expect(Math.abs(count - 600)).toBeLessThan(100);
  });

  test('draws among the rows that meet the other conditions', async () => {
    const { ids } = await selected({ random: 5, range: '1-20', where: { level: [0, 1] } });
    expect(ids).toHaveLength(5);
    for (const id of ids) expect(Number(id) % 5).toBeLessThan(2);
    expect(ids.every((id) => Number(id) < 20)).toBe(true);
  });

  test('more than there are is all of them, which is said', async () => {
    const { ids, notes } = await selected({ random: 50 });
    expect(ids).toHaveLength(30);
    expect(notes).toEqual([
      'There are only 30 rows to draw 50 from (dataset.select.random): all of them are taken.',
    ]);
  });

  test('of 20,000 rows, those that are not drawn are not held', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const early: WeakRef<DatasetRow>[] = [];
    let alive = -1;
    async function* rows(): AsyncGenerator<DatasetRow> {
      for (let index = 0; index < 20_000; index += 1) {
        const row: DatasetRow = { question: `q${index}`, answer: index };
        if (index < 10_000) early.push(new WeakRef(row));
        yield row;
      }
      // A weak reference holds until the turn is over.
      await setImmediate();
      collectGarbage();
      alive = early.filter((reference) => reference.deref() !== undefined).length;
    }
    const tasks = await collect(tasksOf(rows(), { ...exact, select: { random: 100 }, seed: 3 }));
    expect(tasks).toHaveLength(100);
    expect(alive).toBeLessThan(200);
  });
});

describe('beside other fields', () => {
  test('the selection comes before the shuffle, and the limit after it', async () => {
    const select = { range: '11-20' };
    const { ids } = await selected(select, { shuffle: true, seed: 4 });
    expect([...ids].sort()).toEqual((await selected(select)).ids);
    expect((await selected(select, { shuffle: true, seed: 4, max_envs_to_visit: 3 })).ids).toEqual(
      ids.slice(0, 3),
    );
  });

  test('choices are shuffled as without a selection', async () => {
    const rows: DatasetRow[] = numbered(9).map((row) => ({
      ...row,
      choices: ['a', 'b', 'c', 'd'],
      answer: 'a',
    }));
    const mapping = { ...exact, task_type: 'mcq', choices_field: 'choices', shuffle_choices: true } as const;
    const all = await collect(tasksOf(rows, mapping));
    const [one] = await collect(tasksOf(rows, { ...mapping, select: { ids: ['6'] } }));
    expect(one).toEqual({ ...all[6], index: 0 });
  });

  test('a message names the row of the file', async () => {
    const rows = numbered(5).map((row, index) => (index === 3 ? { ...row, answer: '' } : row));
    await expect(selected({ range: '3-4' }, {}, rows)).rejects.toThrow(/^row 4: 'answer'/);
  });

  test('a dataset without rows is refused as such', async () => {
    await expect(selected({ random: 3 }, {}, [])).rejects.toThrow('the dataset has no rows');
  });

  describe('the base of indices is read from rows that are not selected as well', () => {
    const mapping: Partial<TaskMapping> = { task_type: 'mcq', choices_field: 'choices' };
    const rows = (answers: number[]): DatasetRow[] =>
      answers.map((answer) => ({ question: 'q', choices: ['a', 'b', 'c'], answer }));

    test.each<[string, RowSelection]>([
      ['ids', { ids: ['1'] }],
      ['random', { random: 1 }],
    ])('%s', async (_, select) => {
      // With this seed, the row that is drawn is no evidence itself.
      const { notes, ids } = await selected(select, { ...mapping, seed: 7 }, rows([0, 1, 2, 2, 2, 2]));
      expect(ids).not.toContain('0');
      expect(notes.filter((note) => note.includes('target_base'))).toEqual([]);
      await expect(selected(select, { ...mapping, seed: 7 }, rows([3, 1, 2, 2, 2, 2]))).rejects.toMatchObject(
        {
          field: 'dataset.target_base',
        },
      );
    });

    test('a fault of such a row that says nothing of the base does not matter', async () => {
      const faulty: DatasetRow[] = [{ question: 'q', choices: ['a', 'b'], answer: 'violet' }, ...rows([1])];
      expect((await selected({ ids: ['1'] }, mapping, faulty)).ids).toEqual(['1']);
    });
  });
});
