import { describe, expect, test } from 'vitest';
import type { Task } from '../../../../src/contracts/environment.js';
import {
  type EpisodeLine,
  MergedParts,
  readPart,
  writePart,
} from '../../../../src/kinds/run/activities/part-file.js';
import { TaskReader, writeTasks } from '../../../../src/kinds/run/activities/task-reader.js';
import { partKey, partsPrefix, taskChunkKey } from '../../../../src/kinds/run/paths.js';
import type { PartLine } from '../../../../src/kinds/run/results.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';
import { collect, episodeLine, keys, temporaryStore } from '../../../activities/support.js';
import { row } from '../../../support/rows.js';

async function* tasks(count: number): AsyncGenerator<Task> {
  for (let index = 0; index < count; index++) {
    yield { index, id: `t${index}`, question: `line\n${index} \u2028`, target: null, metadata: { index } };
  }
}

describe('a run’s tasks', () => {
  test.each([0, 1, 255, 256, 257, 1000])('%i of them are read as they were written', async (count) => {
    const store = await temporaryStore();
    const written = await writeTasks(store, tasks(count));
    expect(written.count).toBe(count);
    expect(await writeTasks(store, tasks(count))).toEqual(written);
    expect((await writeTasks(await temporaryStore(), tasks(count + 1))).rows).not.toBe(written.rows);
    const all = await collect(tasks(count));
    const reader = new TaskReader(store);
    expect(await collect(reader.all(count))).toEqual(all);
    for (const index of [0, 254, 255, 256, 999]) {
      if (index < count) expect(await reader.get(index)).toEqual(all[index]);
      else await expect(reader.get(index)).rejects.toThrow(/has no task|is missing/);
    }
    const chunks = Array.from({ length: Math.ceil(count / 256) }, (_, chunk) => taskChunkKey(chunk));
    expect(await keys(store)).toEqual(chunks);
  });

  test('written again, they lie on the same keys', async () => {
    const store = await temporaryStore();
    await writeTasks(store, tasks(600));
    const first = await keys(store);
    await writeTasks(store, tasks(600));
    expect(await keys(store)).toEqual(first);
  });

  test('a chunk that could not be read is tried again', async () => {
    const store = await temporaryStore();
    const reader = new TaskReader(store);
    await expect(reader.get(0)).rejects.toThrow(
      "000000.jsonl is missing: the experiment's folder was changed",
    );
    await writeTasks(store, tasks(1));
    expect((await reader.get(0)).id).toBe('t0');
  });
});

describe('merged parts', () => {
  const line = (index: number, trial: number, text = ''): EpisodeLine =>
    episodeLine(index, trial, { row: { ...row(`s${index}`, trial, 'yes'), action: text } });
  const places = (lines: EpisodeLine[]) => lines.map(({ index, trial }) => `${index}/${trial}`);

  async function merged(...parts: PartLine[][]): Promise<MergedParts> {
    const store = await temporaryStore();
    for (const [sequence, lines] of parts.entries())
      await writePart(store, partKey('e', sequence, 'w0'), lines);
    return MergedParts.open(store, await keys(store, partsPrefix('e')));
  }

  test('give rows in the order of samples and trials, however they were written', async () => {
    const order = Array.from({ length: 120 }, (_, number) => line(Math.floor(number / 3), number % 3));
    const mixed = shuffled(order, createRandom(1));
    const parts = await merged(...[0, 1, 2, 3, 4, 5].map((part) => mixed.slice(part * 20, part * 20 + 20)));
    expect(places(await collect(parts.episodes()))).toEqual(places(order));
    const samples = await collect(parts.samples());
    expect(samples.map((lines) => lines.length)).toEqual(Array.from({ length: 40 }, () => 3));
    // A second pass gives the same.
    expect(places(await collect(parts.episodes()))).toEqual(places(order));
  });

  test('more parts than are held in memory do no harm', async () => {
    const order = Array.from({ length: 100 }, (_, index) => line(index, 0, `action ${index}`));
    const parts = await merged(...order.map((one) => [one]).toReversed());
    expect(await collect(parts.episodes())).toEqual(order);
  });

  test('of a row that parts hold twice the one listed last counts', async () => {
    const parts = await merged([line(0, 0, 'old'), line(1, 0)], [line(0, 0, 'new')]);
    const rows = await collect(parts.episodes());
    expect(places(rows)).toEqual(['0/0', '1/0']);
    expect(rows[0]?.row.action).toBe('new');
  });

  test('a part that was written twice counts once', async () => {
    const store = await temporaryStore();
    for (let attempt = 0; attempt < 2; attempt++) await writePart(store, partKey('e', 7, 'w3'), [line(0, 0)]);
    const parts = await MergedParts.open(store, await keys(store));
    expect(await collect(parts.episodes())).toHaveLength(1);
  });

  test('memories are kept apart, in order of their samples', async () => {
    const memory = (index: number): PartLine => ({
      kind: 'memory',
      index,
      sample_id: `s${index}`,
      memory: { index },
    });
    const parts = await merged([line(5, 0), memory(5)], [memory(2)]);
    expect((await collect(parts.memories())).map(({ index }) => index)).toEqual([2, 5]);
    expect(await collect(parts.episodes())).toHaveLength(1);
  });

  test('a part that is gone is no empty one: its rows would be missing from the results', async () => {
    const store = await temporaryStore();
    await expect(readPart(store, partKey('e', 0, 'w0'))).rejects.toThrow(
      "the experiment's folder was changed",
    );
    await writePart(store, partKey('e', 0, 'w0'), [line(0, 0)]);
    const parts = await MergedParts.open(store, await keys(store));
    await store.delete(await keys(store));
    await expect(collect(parts.episodes())).rejects.toThrow("the experiment's folder was changed");
  });

  test('none at all are no rows', async () => {
    const parts = await merged();
    expect(await collect(parts.samples())).toEqual([]);
  });
});
