import { expect, test } from 'vitest';
import type { Json } from '../../src/contracts/json.js';
import { jsonLine, jsonLines, readJsonLines, readNumberedJsonLines } from '../../src/storage/json-lines.js';

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The text's bytes in pieces of `size`, so that characters and lines are cut anywhere. */
async function* bytesOf(text: string | Buffer, size = 1) {
  const bytes = Buffer.from(text as string);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const read = (text: string | Buffer, size?: number) => collect(readJsonLines(bytesOf(text, size)));

test('a byte order mark, CRLF, blank lines and a missing last newline do not matter', async () => {
  expect(await read('\ufeff{"a":1}\r\n\r\n  \n{"b":2}')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(await read('')).toEqual([]);
  expect(await read('\n\n')).toEqual([]);
});

test('characters and lines may be cut anywhere between chunks', async () => {
  const values: Json[] = [{ text: 'Größe 3 µm, 好, 🚀' }, [1, 2], 'line\u2028separator', null];
  for (const size of [1, 2, 3, 7, 1000]) {
    expect(await read(values.map((value) => jsonLine(value)).join(''), size)).toEqual(values);
  }
});

test('a line of 30 MB in small chunks is read in linear time', async () => {
  const long = 'x'.repeat(30_000_000);
  const [value] = await read(jsonLine({ long }), 65_536);
  expect((value as { long: string }).long.length).toBe(long.length);
}, 20_000);

test('a malformed line is named by its number, blank lines counted', async () => {
  await expect(read('{"a":1}\n\n{"b":}\n')).rejects.toMatchObject({ name: 'JsonLinesError', line: 3 });
  const named = collect(readJsonLines(bytesOf('{"a":1}\n{"cut'), { name: 'data.jsonl' }));
  await expect(named).rejects.toThrow('line 2 of data.jsonl is no JSON');
});

test('values before a malformed line have been handed out', async () => {
  const rows = readJsonLines(bytesOf('1\n2\nx\n'));
  expect((await rows.next()).value).toBe(1);
  expect((await rows.next()).value).toBe(2);
  await expect(rows.next()).rejects.toThrow('line 3');
});

test('bytes that are no UTF-8 are refused with the line they are near', async () => {
  const latin1 = Buffer.concat([Buffer.from('{"a":1}\n{"b":"caf'), Buffer.from([0xe9]), Buffer.from('"}\n')]);
  await expect(read(latin1)).rejects.toThrow('not UTF-8, at line 2');
  await expect(read(Buffer.from([0x22, 0xe2, 0x82]))).rejects.toThrow('not UTF-8');
});

test('a numbered reader says where each value stands', async () => {
  expect(await collect(readNumberedJsonLines(bytesOf('\n1\n\n2\n')))).toEqual([
    { line: 2, value: 1 },
    { line: 4, value: 2 },
  ]);
});

test('a reader that stops early closes its source', async () => {
  let closed = false;
  async function* source() {
    try {
      while (true) yield '1\n';
    } finally {
      closed = true;
    }
  }
  for await (const _ of readJsonLines(source())) break;
  expect(closed).toBe(true);
});

test('what is written as JSON lines is read back, in blocks that do not depend on the number of rows', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'a\nb "quoted" \u2028' }));
  const blocks = await collect(jsonLines(rows));
  expect(blocks.length).toBeLessThan(10);
  expect(await read(blocks.join(''), 1000)).toEqual(rows);
  expect(await collect(jsonLines([]))).toEqual([]);
});

test('a value that JSON cannot hold is no line', () => {
  expect(() => jsonLine(undefined)).toThrow(TypeError);
});

test('a line holds no half of a surrogate pair', () => {
  expect(jsonLine({ '\ud83d': ['a \udc00'] })).toBe('{"\\ufffd":["a \\ufffd"]}\n');
});
