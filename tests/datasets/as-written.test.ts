import { gzipSync } from 'node:zlib';
import { DateDay, Field, Float32, LargeList, List, Table, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { parseJsonText } from '../../src/datasets/json-text.js';
import { loadRows } from '../../src/datasets/load.js';
import { type DatasetRow, jsonText, plainJson } from '../../src/datasets/row.js';
import { type TaskMapping, tasksOf } from '../../src/datasets/tasks.js';
import { collect, fixture, temporaryFile } from './collect.js';

const exact: TaskMapping = { task_type: 'exact', input_field: 'question', target_field: 'answer' };

async function tasksOfFile(name: string, content: string | Uint8Array, mapping: Partial<TaskMapping> = {}) {
  const dataset_path = await temporaryFile(name, content);
  return collect(tasksOf(loadRows({ dataset_path }), { ...exact, ...mapping }));
}

/** Numbers of JSON as they are written, and as those who calculate get them. */
const NUMBERS: [written: string, value: unknown][] = [
  ['5', 5],
  ['-0.5', -0.5],
  ['1.10', 1.1],
  ['4.0', 4],
  ['-0', -0],
  ['1e3', 1000],
  ['1E+2', 100],
  ['1e-05', 0.00001],
  ['1e400', '1e400'],
  ['0.12345678901234567890', 0.12345678901234568],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['12345678901234567890', '12345678901234567890'],
  ['123456789012345678901234567890.50', 1.2345678901234568e29],
];

describe('a number in JSON', () => {
  test.each(NUMBERS)('%s is a target as it is written, and %j to an environment', async (written, value) => {
    const row = `{"question": ${written}, "id": ${written}, "answer": ${written}, "n": {"list": [${written}]}}`;
    const mapping = {
      id_field: 'id',
      meta_fields: ['n', 'answer'],
      prompt_template: '{question}|{n.list.0}|{n}',
    };
    const numbers = value === written && !/e/.test(written) ? `"${written}"` : written;
    const expected = {
      index: 0,
      id: written,
      question: `${written}|${written}|{"list":[${numbers}]}`,
      target: written,
      metadata: { n: { list: [value] }, answer: value },
    };
    for (const [name, content] of [
      ['rows.jsonl', `${row}\n`],
      ['rows.json', `[\n${row}\n]`],
      ['rows.jsonl.gz', gzipSync(`${row}\n`)],
    ] as const) {
      expect(await tasksOfFile(name, content, mapping)).toEqual([expected]);
    }
  });

  test('that is a choice, or in a list of choices, keeps its text, and indices are indices', async () => {
    const mapping: Partial<TaskMapping> = { task_type: 'mcq', choices_field: 'choices' };
    const rows = [
      '{"question": "q", "choices": [1.1, 1.10, 2.0], "answer": 1.10}',
      '{"question": "q", "choices": ["1.0", "2.0"], "answer": 1.0}',
      '{"question": "q", "choices": "[1.10, 2.50]", "answer": 1}',
    ];
    const tasks = await tasksOfFile('rows.jsonl', rows.join('\n'), mapping);
    expect(tasks.map(({ choices, target }) => [choices, target])).toEqual([
      [['1.1', '1.10', '2.0'], '1.10'],
      [['1.0', '2.0'], '2.0'],
      [['1.10', '2.50'], '2.50'],
    ]);
  });

  test('within a string stays what it is, and so does what only looks like one', () => {
    const text = '{"a": "1.10, NaN \\"1.10\\" \\\\", "1.10": ["\\u0000as written"], "b": 1.10}';
    expect(jsonText(parseJsonText(text))).toBe(
      '{"1.10":["\\u0000as written"],"a":"1.10, NaN \\"1.10\\" \\\\","b":1.10}'.replace(
        /^\{("1.10".*?),("a".*),"b"/,
        '{$2,$1,"b"',
      ),
    );
    for (const fault of ['01', '1.', '.5', '+1', '1.10.2', '0x1F', '1_000', '--1', 'NaNa', 'Infinit']) {
      expect(() => parseJsonText(`{"a": ${fault}}`)).toThrow(SyntaxError);
    }
  });

  test('costs time in proportion to the text, also where strings never end', () => {
    for (const text of [`"${'\\"'.repeat(500_000)}`, '1.10,'.repeat(200_000), '[NaN\n'.repeat(100_000)]) {
      const begun = process.cpuUsage();
      expect(() => parseJsonText(text)).toThrow(SyntaxError);
      expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(10);
    }
  });
});

describe('NaN and the infinities, as json.dumps of Python writes them', () => {
  // apify-client-python#87, MME-CoT#2
  const row = (value: string) =>
    `{"question": "q", "answer": "a"}\n\n{"question": "r", "answer": "b", "x": ${value}}`;

  test.each(['NaN', 'Infinity', '-Infinity', '[NaN, {"y": -Infinity}]'])(
    '%s in a column that nobody asks for is read over',
    async (value) => {
      expect(await tasksOfFile('rows.jsonl', row(value))).toMatchObject([{ target: 'a' }, { target: 'b' }]);
    },
  );

  test('are null to an environment and in a list that is shown', async () => {
    const mapping = { meta_fields: ['x'], prompt_template: '{x}' };
    const [task] = await tasksOfFile('rows.jsonl', '{"answer": "a", "x": [NaN, 1.0]}', mapping);
    expect(task).toMatchObject({ metadata: { x: [null, 1] }, question: '[null,1.0]' });
  });

  test('leave out a choice, as null does', async () => {
    const mapping: Partial<TaskMapping> = { task_type: 'mcq', choices_field: ['A', 'B', 'C'] };
    const row = (c: string) => `{"question": "q", "A": "x", "B": "y", "C": ${c}, "answer": "B"}`;
    expect(await tasksOfFile('rows.jsonl', `${row('NaN')}\n${row('"z"')}`, mapping)).toMatchObject([
      { choices: ['x', 'y'], target: 'y' },
      { choices: ['x', 'y', 'z'], target: 'y' },
    ]);
  });

  test.each([
    ['target_field', { target_field: 'x' }, 'row 2'],
    ['input_field', { input_field: 'x' }, 'row 2'],
    ['id_field', { id_field: 'x' }, 'row 2'],
    ['prompt_template', { prompt_template: '{x}' }, 'row 2'],
  ])('are refused with line and column where %s asks for them', async (field, mapping, place) => {
    const content = row('NaN').replace('"a"}', '"a", "x": 1}');
    const failure = tasksOfFile('rows.jsonl', content, { ...mapping });
    await expect(failure).rejects.toMatchObject({ name: 'DatasetError', field: `dataset.${field}` });
    await expect(failure).rejects.toThrow(place);
    await expect(failure).rejects.toThrow('NaN (line 3, column 39)');
  });

  test('are found in a file of one JSON text, too', async () => {
    const failure = tasksOfFile(
      'rows.json',
      '[\n {"question": "q",\n  "answer": NaN},\n {"question": "r", "answer": NaN}\n]',
    );
    await expect(failure).rejects.toThrow(
      "row 1: 'answer' (dataset.target_field) is NaN (line 3, column 13)",
    );
  });
});

describe('numbers of binary files', () => {
  const expected = [
    '{"price":1.10,"long":"12345678901234567890.10","whole":7,"prices":[1.10,null],"offer":{"price":4.0,"of":[2.50]},"by_name":{"k":1.10},"single":0.1,"uint64":"18446744073709551615","micro":"2024-02-29T12:00:01.500001Z","nano":"2024-02-29T12:00:01.500001Z","nothing":null}',
    '{"price":-0.05,"long":null,"whole":-7,"prices":[],"offer":null,"by_name":{},"single":null,"uint64":"9007199254740993","micro":"1970-01-01T00:00:00.000Z","nano":"1970-01-01T00:00:00.000Z","nothing":null}',
    '{"price":null,"long":-0.01,"whole":null,"prices":null,"offer":{"price":null,"of":[]},"by_name":null,"single":16777216,"uint64":7,"micro":"1969-12-31T23:59:59.999999Z","nano":null,"nothing":null}',
  ];

  test.each([
    'numbers-snappy-1.parquet',
    'numbers-snappy-2.parquet',
    // Pages of nulls have nothing to unpack.
    'numbers-lz4-1.parquet',
    'numbers-lz4-2.parquet',
    'numbers-integers.parquet',
    'numbers.arrow',
  ])('%s, written by pyarrow, has every digit, and numbers for those who calculate', async (name) => {
    const rows = await collect(loadRows({ dataset_path: fixture(name) }));
    expect(rows.map(jsonText)).toEqual(expected);
    expect(rows.map(plainJson)).toEqual(expected.map((row) => JSON.parse(row)));
  });

  test('are targets with all their places', async () => {
    const rows = loadRows({ dataset_path: fixture('numbers-snappy-1.parquet') });
    const tasks = tasksOf(rows, {
      ...exact,
      input_field: 'long',
      target_field: 'price',
      max_envs_to_visit: 1,
    });
    expect(await collect(tasks)).toMatchObject([{ question: '12345678901234567890.10', target: '1.10' }]);
  });
});

test.each([List, LargeList])(
  'a list of Arrow, whatever its size, has numbers as its type writes them: %s',
  async (Of) => {
    const columns = {
      single: vectorFromArray([[0.1, 0.2]], new Of(new Field('item', new Float32(), true))),
      day: vectorFromArray([[new Date('2024-02-29')]], new Of(new Field('item', new DateDay(), true))),
    };
    const dataset_path = await temporaryFile('rows.arrow', tableToIPC(new Table(columns)));
    const rows = await collect(loadRows({ dataset_path }));
    expect(rows.map(jsonText)).toEqual(['{"single":[0.1,0.2],"day":["2024-02-29"]}']);
  },
);

test('an inline number that was rounded before it came here is refused', async () => {
  const items = [
    { question: 'q', answer: 1 },
    { question: 'q', answer: 12345678901234567000 },
  ];
  await expect(collect(loadRows({ items }))).rejects.toThrow(
    "item 2 (dataset.items): 'answer' is 12345678901234567000, a whole number beyond 2^53",
  );
});

describe('files as people have them', () => {
  const rows: DatasetRow[] = [
    { q: 'a, b', n: '1,5' },
    { q: 'é', n: '007' },
  ];
  const read = async (name: string, content: string | Uint8Array) =>
    collect(loadRows({ dataset_path: await temporaryFile(name, content) }));

  test.each([
    ['rows.csv', '\ufeffq;n\r\n"a, b";1,5\r\né;007\r\n'],
    ['rows.csv', 'sep=;\r\nq;n\r\n"a, b";1,5\r\né;007\r\n'],
    ['rows.csv', '"q";"n"\n"a, b";"1,5"\n"é";"007"\n'],
    ['rows.csv', 'q,n\n"a, b","1,5"\né,007'],
    ['rows.csv', 'q\tn\na, b\t1,5\né\t007\n'],
    ['rows.tsv', 'q\tn\na, b\t1,5\né\t007\n'],
    ['rows.csv.gz', gzipSync('q;n\n"a, b";1,5\né;007\n')],
    ['rows.TSV.GZ', gzipSync('q\tn\na, b\t1,5\né\t007\n')],
    ['rows.jsonl', '\ufeff{"q": "a, b", "n": "1,5"}\r\n\r\n{"q": "é", "n": "007"}\r\n'],
    ['rows.ndjson.gz', gzipSync('{"q": "a, b", "n": "1,5"}\n{"q": "é", "n": "007"}')],
    ['rows.json.gz', gzipSync('[{"q": "a, b", "n": "1,5"}, {"q": "é", "n": "007"}]')],
    ['rows.jsonl', '[{"q": "a, b", "n": "1,5"}, {"q": "é", "n": "007"}]'],
    ['rows.jsonl', '[\n  {"q": "a, b", "n": "1,5"},\n  {"q": "é", "n": "007"}\n]\n'],
    ['rows.jsonl', '{"data": [\n  {"q": "a, b", "n": "1,5"},\n  {"q": "é", "n": "007"}\n]}\n'],
  ])('%s that begins with %j is read', async (name, content) => {
    expect(await read(name, content)).toEqual(rows);
  });

  test('a quoted header with other delimiters in it is read by the one between the names', async () => {
    expect(await read('rows.csv', '"a;b;c",d\n1,2\n')).toEqual([{ 'a;b;c': '1', d: '2' }]);
  });

  test('an object of options is handed on', async () => {
    const options = { A: 'x', B: 'y' };
    expect(await read('rows.jsonl', JSON.stringify({ options }))).toEqual([{ options }]);
  });

  test.each([
    ['rows.jsonl', '{"q": "a",}\n', 'line 1 of', 'a comma stands before a closing bracket'],
    ['rows.jsonl', '{"q": "a"},\n{"q": "b"}\n', 'line 1 of', 'a comma follows it'],
    ['rows.json', '[\n {"q": "a"},\n {"q": "b",}\n]', 'line 3, column 12', 'a comma stands before'],
    ['rows.jsonl', "{'q': 'a'}\n", 'line 1 of', 'json.dumps(row) writes JSON'],
    ['rows.jsonl', '{"q": None}\n', 'line 1 of', 'json.dumps(row) writes JSON'],
    ['rows.jsonl', '{"q": "a", "x": NaN}\n{"q": NaN, "b"}', 'line 2 of', 'is no JSON'],
    ['rows.jsonl', Buffer.from('\ufeff{"q": "a"}', 'utf16le'), 'is UTF-16', 'save it as UTF-8'],
    ['rows.csv', Buffer.from('\ufeffq,n\n1,2\n', 'utf16le'), 'is UTF-16', 'save it as UTF-8'],
    ['rows.json', Buffer.from('[{"q": "caf\xe9"}]', 'latin1'), 'is not UTF-8', 'save it in that encoding'],
    ['rows.jsonl.gz', '{"q": "a"}\n', 'incorrect header check', 'rows.jsonl.gz'],
    ['rows.jsonl.gz', gzipSync('{"q": "a"}\n').subarray(0, 20), 'unexpected end of file', 'rows.jsonl.gz'],
    ['rows.jsonl.zst', '', 'unpack it first (zstd -d)', 'known are .jsonl'],
    ['rows.parquet.gz', '', 'unpack it first (gunzip)', 'known are .jsonl'],
    ['rows.xlsx', '', 'save the sheet as .csv', 'known are .jsonl'],
    ['rows.yaml', '', 'put its rows under dataset.items', 'known are .jsonl'],
  ])('%s that begins with %j is refused: %s, %s', async (name, content, ...said) => {
    const failure = read(name, content);
    await expect(failure).rejects.toMatchObject({ name: 'DatasetError', field: 'dataset.dataset_path' });
    for (const words of said) await expect(failure).rejects.toThrow(words);
  });

  test('an object-store address is refused with what to do', async () => {
    await expect(collect(loadRows({ dataset_path: 's3://bucket/rows.jsonl' }))).rejects.toThrow(
      /s3:\/\/bucket\/rows\.jsonl .*download it first/,
    );
  });
});
