import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadRows } from '../../src/datasets/load.js';
import { collect, fixture, temporaryFile, temporaryFolder } from './collect.js';

const rowsOf = (dataset_path: string, split?: string) => collect(loadRows({ dataset_path, split }));

async function rowsOfFile(name: string, content: string | Uint8Array) {
  return rowsOf(await temporaryFile(name, content));
}

describe('JSON lines', () => {
  test.each(['.jsonl', '.ndjson'])('a %s file gives a row a line', async (ending) => {
    expect(await rowsOfFile(`rows${ending}`, '\ufeff{"q":"a","n":1}\r\n\n\ufeff{"q":"é"}')).toEqual([
      { q: 'a', n: 1 },
      { q: 'é' },
    ]);
  });

  test('integers that a number cannot hold become text, and digits in texts stay as they are', async () => {
    const line =
      '{"id":1234567890123456789,"small":9007199254740991,"text":"no: 1234567890123456789, \\"1234567890123456789\\"","decimal":0.1234567890123456,"negative":[-9007199254740993]}';
    expect(await rowsOfFile('ids.jsonl', line)).toEqual([
      {
        id: '1234567890123456789',
        small: 9007199254740991,
        text: 'no: 1234567890123456789, "1234567890123456789"',
        decimal: 0.1234567890123456,
        negative: ['-9007199254740993'],
      },
    ]);
  });

  test('a very long text with digits in it is read', async () => {
    const text = `${'x'.repeat(20_000_000)}\\n1234567890123456789`;
    const [row] = await rowsOfFile('long.jsonl', `{"text":"${text}"}\n`);
    expect(String(row?.text).length).toBe(20_000_020);
  });

  test('a malformed line and a line that is no object are named by file and number', async () => {
    const malformed = rowsOfFile('rows.jsonl', '{"a":1}\n{"a":\n');
    await expect(malformed).rejects.toMatchObject({ name: 'DatasetError', field: 'dataset.dataset_path' });
    await expect(malformed).rejects.toThrow(/line 2 of .*rows\.jsonl/);
    await expect(rowsOfFile('rows.jsonl', '{"a":1}\n[1]\n')).rejects.toThrow(
      /line 2 of .*rows\.jsonl.*not an object/,
    );
  });

  test('a file in another encoding is named instead of garbled', async () => {
    const latin1 = Buffer.from('{"q":"caf\xe9"}\n', 'latin1');
    await expect(rowsOfFile('rows.jsonl', latin1)).rejects.toThrow(/not UTF-8/);
    await expect(rowsOfFile('rows.csv', Buffer.from('q\ncaf\xe9\n', 'latin1'))).rejects.toThrow(/not UTF-8/);
    const wide = Buffer.from('q,a\nb,c\n', 'utf16le');
    for (const bytes of [wide, Buffer.from(wide).swap16()])
      await expect(rowsOfFile('rows.csv', bytes)).rejects.toThrow(/is UTF-16: save it as UTF-8/);
  });

  test('rows are read only as far as they are wanted', async () => {
    const path = await temporaryFile('rows.jsonl', `${'{"a":1}\n'.repeat(1000)}broken`);
    const rows = loadRows({ dataset_path: path });
    for (let index = 0; index < 1000; index += 1) expect((await rows.next()).value).toEqual({ a: 1 });
    await rows.return(undefined);
  });
});

describe('JSON', () => {
  test.each([
    ['a list of objects', '[{"a":1},{"a":2}]'],
    ['an object with one list of objects', '{"version":"1","tags":["x"],"data":[{"a":1},{"a":2}]}'],
    ['JSON lines under the name .json', '{"a":1}\n{"a":2}\n'],
    ['a byte order mark', '\ufeff[{"a":1},{"a":2}]'],
    ['an object with one list of objects beside a text', '{"canary":"x","examples":[{"a":1},{"a":2}]}'],
    ['one list of objects beside a list of one', '{"tags":["x"],"data":[{"a":1},{"a":2}]}'],
  ])('%s', async (_, content) => {
    expect(await rowsOfFile('rows.json', content)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test.each([
    [
      'two lists',
      '{"train":[{"a":1}],"test":[{"a":2}]}',
      /exactly one .* but it has train, test .*dataset\.split names one/,
    ],
    ['no list', '{"a":1}', /none of its fields is/],
    [
      'an object of objects',
      JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, { a: 1 }]))),
      /\(fields: k0, k1, .* k9 and 490 more\); write a list of the rows, .*orient='records'$/,
    ],
    ['columns of different length', '{"a":[1,2],"b":[1]}', /none of its fields is/],
    ['a text', '"hello"', /must hold a list of objects/],
    ['a list with something else in it', '[{"a":1},2]', /item 2 of .* is not an object/],
    ['no JSON', '[{"a":1},', /is no JSON/],
  ])('%s is refused with the reason', async (_, content, reason) => {
    await expect(rowsOfFile('rows.json', content)).rejects.toThrow(reason);
  });
});

describe('splits of a JSON file, and columns', () => {
  const rows = [
    { q: 'a', choices: { text: ['x'] } },
    { q: 'b', choices: { text: ['y'] } },
  ];
  const columns = { q: ['a', 'b'], choices: rows.map(({ choices }) => choices) };

  test.each<[string, unknown, string | undefined]>([
    ['columns', columns, undefined],
    ['the split that is named', { train: [{ q: 'c' }, { q: 'd' }], test: rows }, 'test'],
    ['the columns of the split that is named', { train: { q: ['c', 'd'] }, test: columns }, 'test'],
    ['the only split', { test: rows }, 'test'],
    ['the only split, which is not named', { test: rows }, undefined],
  ])('%s become rows', async (_, content, split) => {
    const path = await temporaryFile('rows.json', JSON.stringify(content));
    expect(await rowsOf(path, split)).toEqual(rows);
  });

  test.each([
    ['rows.json', '{"train":[{"q":1}],"test":[{"q":2}]}', /has no split 'dev' .*; there are: train, test$/],
    ['rows.json', '[{"q":1}]', /^dataset\.split: .*rows\.json has no splits; leave it out/],
    ['rows.json', '{"q":1}\n{"q":2}\n', /rows\.json has no splits/],
    ['rows.json', '{"q":["a","b"],"a":["x","y"]}', /rows\.json has no splits/],
    ['rows.jsonl.gz', '', /rows\.jsonl\.gz has no splits/],
    ['rows.csv', 'q\na\n', /rows\.csv has no splits/],
  ])('another split of %s with %j is refused', async (name, content, reason) => {
    const failure = rowsOf(await temporaryFile(name, content), 'dev');
    await expect(failure).rejects.toMatchObject({ name: 'DatasetError', field: 'dataset.split' });
    await expect(failure).rejects.toThrow(reason);
  });

  test('a split of inline rows, and a config of anything but the hub, are refused', async () => {
    await expect(collect(loadRows({ items: [{ q: 'a' }], split: 'test' }))).rejects.toThrow(
      /^dataset\.split: a list of dataset\.items has no splits/,
    );
    await expect(collect(loadRows({ items: [{ q: 'a' }], config: 'main' }))).rejects.toMatchObject({
      field: 'dataset.config',
      message: 'dataset.config: only datasets of the hub (dataset.hf_name) have one; leave it out',
    });
  });
});

describe('CSV and TSV', () => {
  test('a header names the columns; quotes, line breaks, commas and a byte order mark are understood', async () => {
    const csv = '\ufeffquestion,answer\r\n"Who said ""no""?\nWhen, exactly?",42\r\n\r\nplain,\r\n';
    expect(await rowsOfFile('rows.csv', csv)).toEqual([
      { question: 'Who said "no"?\nWhen, exactly?', answer: '42' },
      { question: 'plain', answer: '' },
    ]);
  });

  test('a TSV keeps quotes inside its values', async () => {
    expect(await rowsOfFile('rows.tsv', 'q\ta\nsay "hi", he said\t1\n')).toEqual([
      { q: 'say "hi", he said', a: '1' },
    ]);
  });

  test.each<[string, string, string[][]]>([
    [
      'a quote that begins a value',
      '2\t"To be or not to be\tB\n3\t"Yes", he said\tA\n4\t"\tA\n',
      [
        ['2', '"To be or not to be', 'B'],
        ['3', '"Yes", he said', 'A'],
        ['4', '"', 'A'],
      ],
    ],
    [
      'one of a pair that lies in two rows',
      '2\t"To be\tB\n3\tor not"\tA\n',
      [
        ['2', '"To be', 'B'],
        ['3', 'or not"', 'A'],
      ],
    ],
    [
      'whole values in quotes',
      '2\t"a ""b"" c"\t""\n\n3\t"x"\ty\n',
      [
        ['2', 'a "b" c', ''],
        ['3', 'x', 'y'],
      ],
    ],
    ['tabs in quotes, as pandas writes them', '2\t"a\tb"\t"""c"""\n', [['2', 'a\tb', '"c"']]],
    [
      'line ends in quotes',
      '2\tB\t"a\nb"\n"3\n"\tA\tc\n',
      [
        ['2', 'B', 'a\nb'],
        ['3\n', 'A', 'c'],
      ],
    ],
  ])('of a TSV, %s', async (_, lines, rows) => {
    const expected = rows.map(([id, q, a]) => ({ id, q, a }));
    expect(await rowsOfFile('rows.tsv', `id\t"q"\ta\n${lines}`)).toEqual(expected);
    expect(await rowsOfFile('rows.csv', `id\tq\ta\n${lines}`)).toEqual(expected);
    expect(await rowsOfFile('rows.csv', `sep=\t\nid\tq\ta\n${lines}`)).toEqual(expected);
  });

  test.each<[string, string, string[][]]>([
    [
      'a quote inside a value',
      'What does "foo" mean?,{"a":1}\nA 5" pipe,6"\nx"y,""\n',
      [
        ['What does "foo" mean?', '{"a":1}'],
        ['A 5" pipe', '6"'],
        ['x"y', ''],
      ],
    ],
    [
      'a quote beside values in quotes',
      '"a ""b"" c",d ""e\n"""g""","h"\n"i\nk",5\'10"\n',
      [
        ['a "b" c', 'd ""e'],
        ['"g"', 'h'],
        ['i\nk', '5\'10"'],
      ],
    ],
    [
      'a quote before line ends of Windows',
      'a "b",c\r\n"d",e "f"\r\n',
      [
        ['a "b"', 'c'],
        ['d', 'e "f"'],
      ],
    ],
  ])('of a CSV, %s is text', async (_, lines, rows) => {
    const end = lines.endsWith('\r\n') ? '\r\n' : '\n';
    const expected = rows.map(([q, a]) => ({ '7" q': q, a }));
    expect(await rowsOfFile('rows.csv', `7" q,a${end}${lines}`)).toEqual(expected);
    expect(await rowsOfFile('rows.csv', `7" q;a${end}${lines.replaceAll(',', ';')}`)).toEqual(expected);
  });

  test.each([
    ['goes on behind its quotes', '"Hello" said he,B\n'],
    ['has a space before its quotes', 'q1, "B"\n'],
    ['has a comma in such quotes', 'q1, "B, C"\n'],
    ['has no end', '"To be,B\nor not,C\n'],
  ])('a value of a CSV that %s is refused', async (_, lines) => {
    await expect(rowsOfFile('rows.csv', `q,a\n${lines}`)).rejects.toThrow(
      /rows\.csv.*; a value in quotes has nothing before or after them, and each quote inside it twice$/s,
    );
  });

  test('quotes of a CSV are the same wherever its blocks end', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      q: `${'x'.repeat(70_000 - index)} "${index}"`,
      a: `a "b" ${index}`,
    }));
    const lines = rows.map(({ q, a }) => `${q},"${a.replaceAll('"', '""')}"\n`);
    expect(await rowsOfFile('rows.csv', `q,a\n${lines.join('')}`)).toEqual(rows);
  });

  test('a nameless column is named as pandas does, and a repeated name is refused', async () => {
    expect(await rowsOfFile('rows.csv', ',q\n0,a\n')).toEqual([{ 'Unnamed: 0': '0', q: 'a' }]);
    await expect(rowsOfFile('rows.csv', 'q,q\n1,2\n')).rejects.toThrow(/column 'q' twice/);
  });

  test.each([
    ['too many values', 'a,b\n1,2\n1,2,3\n', /line 3/],
    ['an open quote', 'a,b\n1,"2\n', /quote/i],
  ])('%s: the file and the line are named', async (_, csv, reason) => {
    const failure = rowsOfFile('rows.csv', csv);
    await expect(failure).rejects.toThrow(reason);
    await expect(failure).rejects.toThrow(/rows\.csv/);
  });

  test('a file of 50,000 rows streams, and stops when nobody wants more', async () => {
    const path = await temporaryFile('rows.csv', `q,a\n${'what is it,"1,2"\n'.repeat(50_000)}`);
    expect(await rowsOf(path)).toHaveLength(50_000);
    for await (const row of loadRows({ dataset_path: path })) {
      expect(row).toEqual({ q: 'what is it', a: '1,2' });
      break;
    }
  });
});

describe('parquet and Arrow', () => {
  const expected = {
    text: ['plain', 'ünï "q"\n2', null, '', 'last'],
    large_text: ['large 0', 'large 1', 'large 2', 'large 3', 'large 4'],
    dictionary: ['x', 'y', 'x', null, 'y'],
    int64: [1, '9007199254740993', null, '-4611686018427387904', 5],
    float: [1.5, null, null, null, -0.5],
    flag: [true, false, null, true, false],
    list: [['a', 'b'], [], null, ['c', null], ['d']],
    nested_list: [[[1, 2], [3]], [], null, [[]], [[4]]],
    choices: Array(5).fill({ text: ['p', 'q'], label: ['A', 'B'] }),
    turns: [[{ role: 'user', content: 'hi' }], [], null, [], [{ role: null, content: 'x' }]],
    map: [{ k: 1 }, {}, null, {}, { a: 2 }],
    day: Array(5).fill('2024-02-29'),
    moment: Array(5).fill('2024-02-29T12:00:01.500Z'),
    decimal: Array(5).fill(-12.345),
    bytes: ['iVBORwA=', '/w==', null, '/g==', '/Q=='],
  };

  test.each(['kinds-snappy.parquet', 'kinds-gzip.parquet', 'kinds-zstd.parquet', 'kinds.arrow'])(
    'every kind of column of %s, written by pyarrow, becomes plain JSON',
    async (name) => {
      const rows = await rowsOf(fixture(name));
      const columns = Object.fromEntries(
        Object.keys(rows[0] ?? {}).map((column) => [column, rows.map((row) => row[column])]),
      );
      expect(columns).toEqual(expected);
      expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
    },
  );

  test.each(['kinds-snappy.parquet', 'kinds.arrow'])(
    '%s is an error wherever it is cut off',
    async (name) => {
      const bytes = await readFile(fixture(name));
      // An Arrow stream cut between two batches, as 8 bytes before its end, looks like a shorter one.
      for (const length of [0, 1, 100, bytes.length / 2, bytes.length - 8, bytes.length - 1]) {
        const path = await temporaryFile(name, bytes.subarray(0, length));
        await expect(rowsOf(path)).rejects.toMatchObject({
          name: 'DatasetError',
          message: expect.stringContaining(path),
        });
      }
    },
  );
});

describe('a folder that Hugging Face save_to_disk wrote', () => {
  test('its shards are read in order', async () => {
    const rows = await rowsOf(fixture('saved-dataset'));
    expect(rows.map((row) => row.label)).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    expect(rows[7]).toEqual({
      question: 'Is 7 even?',
      label: 1,
      choices: ['yes', 'no'],
      metadata: { ID: 'id-7' },
    });
  });

  test('with splits it needs the split, and lists those there are', async () => {
    expect(await rowsOf(fixture('saved-splits'), 'test')).toHaveLength(2);
    const failure = {
      name: 'DatasetError',
      field: 'dataset.split',
      message: expect.stringContaining('train, test'),
    };
    await expect(rowsOf(fixture('saved-splits'))).rejects.toMatchObject(failure);
    await expect(rowsOf(fixture('saved-splits'), 'validation')).rejects.toMatchObject(failure);
  });

  test('one whose only split is another than the wanted one is refused', async () => {
    const folder = join(await temporaryFolder(), 'copy');
    await cp(fixture('saved-dataset'), folder, { recursive: true });
    const state = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
    await writeFile(join(folder, 'state.json'), JSON.stringify({ ...state, _split: 'train' }));
    expect(await rowsOf(folder, 'train')).toHaveLength(10);
    await expect(rowsOf(folder, 'test')).rejects.toThrow(/holds the split 'train', not 'test'/);
  });

  test('rows selected by a separate index are refused with the way out', async () => {
    const folder = join(await temporaryFolder(), 'copy');
    await cp(fixture('saved-dataset'), folder, { recursive: true });
    const state = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
    const indexed = { ...state, _indices_data_files: [{ filename: 'indices.arrow' }] };
    await writeFile(join(folder, 'state.json'), JSON.stringify(indexed));
    await expect(rowsOf(folder)).rejects.toThrow(/flatten_indices/);
  });

  test('a missing shard and a folder of something else are named', async () => {
    const folder = join(await temporaryFolder(), 'copy');
    await mkdir(folder);
    await expect(rowsOf(folder)).rejects.toThrow(/without a state\.json/);
    await writeFile(join(folder, 'state.json'), '{"_data_files":[{"filename":"data.arrow"}]}');
    await expect(rowsOf(folder)).rejects.toThrow(/data\.arrow/);
  });
});

describe('where rows come from', () => {
  test('inline items become plain JSON', async () => {
    const items = [{ q: 'a', when: new Date(0), n: Number.NaN, big: 2n ** 60n }, { q: 'b' }];
    expect(await collect(loadRows({ items }))).toEqual([
      { q: 'a', when: '1970-01-01T00:00:00.000Z', n: null, big: '1152921504606846976' },
      { q: 'b' },
    ]);
    await expect(collect(loadRows({ items: ['x'] }))).rejects.toMatchObject({ field: 'dataset.items' });
  });

  test('a file that is not there is named by its full path and the config field', async () => {
    const failure = rowsOf('no/such/file.jsonl');
    await expect(failure).rejects.toMatchObject({
      name: 'DatasetError',
      field: 'dataset.dataset_path',
      retryable: false,
    });
    await expect(failure).rejects.toThrow(`${process.cwd()}/no/such/file.jsonl (dataset.dataset_path)`);
  });

  test('an unknown ending is refused with the known ones', async () => {
    await expect(rowsOfFile('rows.xlsx', '')).rejects.toThrow(/known are \.jsonl/);
  });

  test.each([[{}], [{ items: [], dataset_path: 'x' }], [{ dataset_path: '' }]])(
    '%j is refused',
    async (source) => {
      await expect(collect(loadRows(source))).rejects.toMatchObject({
        name: 'DatasetError',
        field: 'dataset',
      });
    },
  );

  test.each([
    [
      'test-00000-of-00003.jsonl',
      '{"q":1}\n',
      [/jsonl \(dataset\.dataset_path\) is one file of 3 by its name/],
    ],
    ['train-00002-of-00010.csv.gz', gzipSync('q\n1\n'), [/is one file of 10/]],
    ['train-00000-of-00001.jsonl', '{"q":1}\n', []],
    ['1-of-3.jsonl', '{"q":1}\n', []],
  ])('of %s is said whether it is a part', async (name, content, wanted) => {
    const dataset_path = await temporaryFile(name, content);
    const said: string[] = [];
    await collect(loadRows({ dataset_path }, { notify: (sentence) => void said.push(sentence) }));
    expect(said).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
  });

  test('an aborted read stops', async () => {
    const controller = new AbortController();
    const rows = loadRows({ items: [{ a: 1 }, { a: 2 }] }, { signal: controller.signal });
    await rows.next();
    controller.abort(new Error('enough'));
    await expect(rows.next()).rejects.toThrow('enough');
  });
});
