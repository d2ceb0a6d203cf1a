import { expect, test } from 'vitest';
import { identityHash } from '../../src/activities/call-key.js';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { KindView } from '../../src/kinds/kind.js';
import { runView } from '../../src/kinds/run/view.js';
import { callKey } from '../../src/storage/paths.js';
import { LiveUnits } from '../../src/view/live-units.js';
import { MemoryStore } from '../support/memory-store.js';
import { call, row } from '../support/rows.js';

/** A store that says which objects were read. */
class ReadStore extends MemoryStore {
  reads: string[] = [];
  override async read(key: string) {
    this.reads.push(key);
    return super.read(key);
  }
  taken(): string[] {
    return this.reads.splice(0).sort();
  }
}

const pendingKey = (record: CallRecord) => callKey(identityHash(record));
const pend = (store: MemoryStore, record: CallRecord) =>
  store.write(pendingKey(record), JSON.stringify({ record, answer: null }));

async function part(store: MemoryStore, number: number, index: number, id: string) {
  const calls = [call({ sample_id: id, text: `said in ${id}` })];
  const line = { kind: 'episode', index, trial: 0, row: row(id, 0, 'yes'), calls, steps: [] };
  await store.write(`parts/run/${number}.jsonl`, `${JSON.stringify(line)}\n`);
  for (const record of calls) await pend(store, record);
  return calls;
}

/** Time passes for which what was read is not read again. */
const later = () => new Promise((resolve) => setTimeout(resolve, 600));

test('what an experiment in progress has recorded is read once, and what is new beside it', async () => {
  const store = new ReadStore();
  await part(store, 0, 1, 'b');
  const going = call({ sample_id: 'c', text: 'on the way' });
  await pend(store, going);
  const live = new LiveUnits(store, runView as KindView);
  const cells = async () => (await live.rows()).map(({ id, answer }) => [id, answer]);
  expect(await cells()).toEqual([
    ['b', 'action'],
    ['c', 'in flight: on the way'],
  ]);
  // The call of the sample that has ended stands beside its row.
  expect(store.taken()).toEqual(['parts/run/0.jsonl', pendingKey(going)].sort());
  await cells();
  expect(store.taken()).toEqual([]);
  await part(store, 1, 0, 'a');
  await later();
  expect((await cells()).map(([id]) => id)).toEqual(['a', 'b', 'c']);
  expect(store.taken()).toEqual(['parts/run/1.jsonl']);
});

test('a unit in progress is its row and its calls, and nothing of the others', async () => {
  const store = new ReadStore();
  const calls = await part(store, 0, 0, 'a');
  const going = [0, 1].map((ordinal) => call({ sample_id: 'c', ordinal, text: `${ordinal}` }));
  for (const record of going) await pend(store, record);
  const live = new LiveUnits(store, runView as KindView);
  const ended = await live.unit('a', 0);
  expect([ended.indexed?.id, ended.row?.id, ended.calls]).toEqual(['a', 'a', calls]);
  expect((await live.unit('c', 0)).calls).toEqual(going);
  expect((await live.unit('z', 0)).calls).toEqual([]);
  // What the experiment no longer needs is not missed.
  await store.delete(['parts/run/0.jsonl']);
  await later();
  expect((await live.rows()).map(({ id }) => id)).toEqual(['c']);
});

test('the calls of a large experiment are read in several requests', async () => {
  const store = new ReadStore();
  const records = Array.from({ length: 2500 }, (_, index) => call({ sample_id: `s${index}` }));
  for (const record of records) await pend(store, record);
  const live = new LiveUnits(store, runView as KindView);
  expect(await live.rows()).toHaveLength(2000);
  await later();
  expect(await live.rows()).toHaveLength(2500);
  expect(store.taken()).toHaveLength(2500);
});
