import { expect, test } from 'vitest';
import { evolveView } from '../../src/kinds/evolve/view.js';
import { runView } from '../../src/kinds/run/view.js';
import {
  buildRowIndex,
  callsAt,
  memoryAt,
  readRowIndex,
  unitKey,
  valuesAt,
  writeRowIndex,
} from '../../src/view/row-index.js';
import { MemoryStore } from '../support/memory-store.js';
import { call, row, taskRow } from '../support/rows.js';

const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

async function stored() {
  const store = new MemoryStore();
  const rows = [row('a', 0, 'yes'), row('b', 0, 'no'), row('__proto__', 0, 'timeout')].map((one) =>
    taskRow(one),
  );
  const calls = [
    call({ sample_id: 'b', ordinal: 0, text: 'set aside' }),
    call({ sample_id: 'a', ordinal: 0 }),
    call({ sample_id: 'a', ordinal: 1, text: 'größer, 好' }),
    call({ sample_id: 'b', ordinal: 0, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }),
    call({ sample_id: '__proto__', ordinal: 0 }),
  ];
  await store.write('results.jsonl', lines(rows));
  await store.write('calls.jsonl', lines(calls));
  return { store, rows, calls };
}

test('the index finds each row and its calls, wherever they lie in their files', async () => {
  const { store, rows, calls } = await stored();
  const index = await buildRowIndex(store, runView);
  expect(index.rows.map(({ id, scores, error }) => [id, scores.correct, error])).toEqual([
    ['a', 1, null],
    ['b', 0, null],
    ['__proto__', undefined, 'timeout'],
  ]);
  for (const [place, { id, at }] of index.rows.entries()) {
    expect(await valuesAt(store, index.rows_in, at)).toEqual([rows[place]]);
    const own = calls.filter(({ sample_id }) => sample_id === id);
    expect(await valuesAt(store, 'calls.jsonl', index.calls[unitKey(id, 0)] ?? [])).toEqual(own);
  }
  // Two neighbours are one span, which is read by one request.
  expect(index.calls[unitKey('a', 0)]).toHaveLength(2);
});

test('a written index is read as it is, and built anew where a file has changed or the index is damaged', async () => {
  const { store } = await stored();
  await writeRowIndex(store, runView);
  expect(await readRowIndex(store, runView)).toEqual(await buildRowIndex(store, runView));
  await store.write('results.jsonl', lines([taskRow(row('c', 0, 'yes'))]));
  expect((await readRowIndex(store, runView)).rows.map(({ id }) => id)).toEqual(['c']);
  await store.write('view/index.json.gz', 'no index');
  expect((await readRowIndex(store, runView)).rows.map(({ id }) => id)).toEqual(['c']);
});

test('what a scaffold asked while it ran is its own', async () => {
  const store = new MemoryStore();
  await store.write(
    'calls.jsonl',
    lines([call({ sample_id: '0-1' }), call({ sample_id: '0-1/2/valid/e/h' })]),
  );
  const { calls } = await buildRowIndex(store, evolveView);
  expect(await valuesAt(store, 'calls.jsonl', calls[unitKey('0-1', 0)] ?? [])).toHaveLength(2);
});

test('calls are read as they were written, whatever of their messages the line before has as well', async () => {
  const store = new MemoryStore();
  const said = (count: number, text = 'größer, 好') =>
    Array.from({ length: count }, (_, place) => ({
      role: place % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${place} },{"role":" ${text}`,
    }));
  const trap = { extra_body: { messages: [{ role: 'a' }, { role: 'b' }] } };
  const calls = [
    ...[1, 3, 5, 5, 7].map((count) => ({ messages: said(count) })),
    ...[2, 4].map((count) => ({ messages: said(count), purpose: 'user' })),
    { messages: said(6, 'another conversation') },
    ...[4, 6, 8].map((count) => ({ messages: said(count), parameters: trap })),
    { messages: said(9), tool_calls: [{ id: 'c', name: 'n', arguments: '{"messages":[]}' }] },
    { messages: [...said(9).slice(0, 8), { role: 'user' as const, content: 'changed' }] },
    { messages: [] },
    { messages: said(2, 'x'.repeat(3_000_000)) },
    { messages: said(3, 'x'.repeat(3_000_000)) },
  ].map((fields, ordinal) => call({ sample_id: 'a', ordinal, ...fields } as never));
  await store.write('calls.jsonl', `${lines(calls)}no JSON\n`);
  const index = await buildRowIndex(store, runView);
  expect(await callsAt(store, index.calls[unitKey('a', 0)] ?? [])).toEqual(calls);
});

test('messages of a long conversation are in memory once', async () => {
  const store = new MemoryStore();
  const messages = Array.from({ length: 40 }, (_, place) => ({
    role: 'user' as const,
    content: `m${place}`,
  }));
  const calls = messages.map((_, ordinal) =>
    call({ sample_id: 'a', ordinal, messages: messages.slice(0, ordinal + 1) }),
  );
  await store.write('calls.jsonl', lines(calls));
  const { length } = Buffer.from(lines(calls));
  const read = await callsAt(store, [0, length]);
  expect(read).toEqual(calls);
  expect(new Set(read.flatMap((one) => one.messages)).size).toBeLessThan(3 * messages.length);
});

test('the memory of a sample is found in a file of many', async () => {
  const store = new MemoryStore();
  const sheet = { _type: 'cheatsheet', versions: [{ version: 1, content: '"x":{"_type":' }] };
  const many = {
    'a "quoted" id': { _type: 'history_list', entries: [{ content: 'größer' }] },
    __proto__x: sheet,
  };
  const [[first, plain], [second]] = Object.entries(many) as [[string, object], [string, object]];
  const texts = [
    `${JSON.stringify(first)}:${JSON.stringify(plain)}`,
    `${JSON.stringify(second)}:{"_type":"cheatsheet",\n"versions":[\n${JSON.stringify(sheet.versions[0])}]}`,
  ];
  await store.write('memory.json', `{"_type":"per_sample","memories":{\n${texts.join(',\n')}\n}}\n`);
  expect(JSON.parse((await store.readText('memory.json')) ?? '').memories).toEqual(many);
  const { memories } = await buildRowIndex(store, runView);
  for (const [id, memory] of Object.entries(many))
    expect(await memoryAt(store, id, memories?.[id] ?? [])).toEqual(memory);
  expect(await memoryAt(store, 'another', [])).toBeNull();
  await store.write('memory.json', '{"_type":"history_list","entries":[]}\n');
  expect((await buildRowIndex(store, runView)).memories).toBeNull();
});
