import { expect, test } from 'vitest';
import { evolveView } from '../../src/kinds/evolve/view.js';
import { runView } from '../../src/kinds/run/view.js';
import { buildRowIndex, readRowIndex, unitKey, valuesAt, writeRowIndex } from '../../src/view/row-index.js';
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
