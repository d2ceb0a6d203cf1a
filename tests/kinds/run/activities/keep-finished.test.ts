import { describe, expect, test } from 'vitest';
import { CallStore } from '../../../../src/activities/call-store.js';
import { setAside } from '../../../../src/activities/set-aside.js';
import { keepFinishedSamples } from '../../../../src/kinds/run/activities/keep-finished.js';
import { MergedParts, writePart } from '../../../../src/kinds/run/activities/part-file.js';
import { noTotals } from '../../../../src/kinds/run/lane/totals.js';
import { everyPartPrefix, paidEmbeddingKey, partKey, partsPrefix } from '../../../../src/kinds/run/paths.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { writeRetry } from '../../../../src/storage/retry-marker.js';
import { collect, episodeLine, keys, temporaryStore } from '../../../activities/support.js';
import { configOf } from '../../../support/configs.js';
import { call, row } from '../../../support/rows.js';

const trials3 = { num_trials: 3, memory_scope: 'sample' };

/** A store in which an earlier execution left these samples, each as its outcomes by trial. */
async function leftBehind(...samples: string[]) {
  const store = await temporaryStore();
  for (const [index, outcomes] of samples.entries()) {
    const lines = outcomes.split(' ').map((outcome, trial) => {
      const calls = [call({ sample_id: `s${index}`, trial, cost_usd: 0.5 })];
      return episodeLine(index, trial, { row: row(`s${index}`, trial, outcome, {}, calls), calls });
    });
    await writePart(store, partKey('earlier', index, 'w0'), lines);
  }
  await store.write(artifactKeys.metrics, JSON.stringify({ wall_seconds: 12.5 }));
  return store;
}

const keep = async (store: Awaited<ReturnType<typeof leftBehind>>, runtime: object, continues = true) =>
  keepFinishedSamples(store, configOf({ runtime }), { execution: 'now', continues });

test('totals begin with every reply that is stored, once, whatever becomes of its sample', async () => {
  const store = await leftBehind('no', 'timeout');
  const calls = new CallStore(store);
  const unfinished = [0, 1, 2].map((ordinal) => call({ sample_id: 's2', ordinal, cost_usd: 0.25 }));
  for (const record of [call({ sample_id: 's0', cost_usd: 0.5 }), ...unfinished])
    await calls.save({ record, answer: null });
  const { totals } = await keep(store, { num_trials: 1, memory_scope: 'sample' });
  expect(totals).toMatchObject({ samples: 1, lm_calls: 4, cost_usd: 1.25 });
  const later = call({ sample_id: 's3', at: '2026-02-02T00:00:00.000Z' });
  await calls.save({ record: later, answer: null });
  const found = new CallStore(store);
  expect(await Promise.all(unfinished.map((record) => found.isCounted(record)))).toEqual([true, true, true]);
  // It came after the execution had begun.
  expect(await found.isCounted(later)).toBe(false);
  expect((await keep(store, { num_trials: 1, memory_scope: 'sample' })).totals).toEqual(totals);
});

test('with one shared memory it is known how many samples follow the first error', async () => {
  const run = { num_trials: 1, memory_scope: 'run' };
  expect((await keep(await leftBehind('yes', 'timeout', 'no', 'yes'), run)).asked_anew).toBe(2);
  expect((await keep(await leftBehind('yes', 'no', 'timeout'), run)).asked_anew).toBe(0);
});

describe('a continued run with a memory for each sample', () => {
  test.each<[string, object, string, boolean]>([
    ['all trials done', trials3, 'no no no', true],
    ['trials left', trials3, 'no no', false],
    ['an error at last is tried again', trials3, 'no no timeout', false],
    ['an error before the last is not', trials3, 'timeout no no', true],
    ['a success without early stop', trials3, 'yes', false],
    ['a success with early stop', { ...trials3, early_stop_on_success: true }, 'no yes', true],
    ['a failure with early stop', { ...trials3, early_stop_on_success: true }, 'no no', false],
  ])('keeps a sample or not: %s', async (_name, runtime, outcomes, kept) => {
    const { indices } = await keep(await leftBehind(outcomes), runtime);
    expect([...indices]).toEqual(kept ? [0] : []);
  });

  test.each<[string, string[] | null, number[]]>([
    ['errors of one type', ['EmptyReply'], [0, 2]],
    ['errors of several types', ['EmptyReply', 'timeout'], [0]],
    ['errors of any type', null, [0]],
  ])('that is a retry of %s asks only those', async (_name, types, kept) => {
    const store = await leftBehind('no', 'EmptyReply', 'timeout');
    await writeRetry(store, { types, at: '2026-01-01T00:00:00.000Z' });
    const { indices, totals } = await keep(store, { num_trials: 1, memory_scope: 'sample' });
    expect([...indices]).toEqual(kept);
    expect(totals).toMatchObject({ samples: kept.length, errors: kept.length - 1, lm_calls: kept.length });
  });

  test('counts what was set aside as spent', async () => {
    const store = await leftBehind('no', 'EmptyReply');
    const asked = call({ sample_id: 's1', cost_usd: 0.25 });
    await new CallStore(store).save({ record: asked, answer: null });
    await setAside(store, { call: asked, at: asked.at });
    const { totals } = await keep(store, { num_trials: 1, memory_scope: 'sample' });
    expect(totals).toMatchObject({ samples: 1, lm_calls: 2, cost_usd: 0.75 });
  });

  test('moves what it keeps into parts of its own, and adds it up', async () => {
    const store = await leftBehind('no no yes', 'no', 'yes yes no');
    const kept = await keep(store, trials3);
    expect(kept).toEqual({
      indices: new Set([0, 2]),
      totals: {
        ...noTotals(),
        samples: 2,
        episodes: 6,
        correct: 1,
        lm_calls: 6,
        input_tokens: 60,
        output_tokens: 30,
        cost_usd: 3,
      },
      wall_seconds: 12.5,
      asked_anew: 0,
    });
    const parts = await keys(store, everyPartPrefix());
    expect(parts.every((key) => key.startsWith(partsPrefix('now')))).toBe(true);
    const rows = await collect((await MergedParts.open(store, parts)).episodes());
    expect(rows.map(({ index, trial }) => `${index}/${trial}`)).toEqual([
      '0/0',
      '0/1',
      '0/2',
      '2/0',
      '2/1',
      '2/2',
    ]);
  });

  test.each(['sample', 'run'])(
    'counts what was paid for vectors against its limits (scope: %s)',
    async (memory_scope) => {
      const store = await leftBehind('no');
      for (const cost_usd of [0.25, 0.5])
        await store.write(
          paidEmbeddingKey(`${cost_usd}`),
          JSON.stringify({ texts: 2, input_tokens: 70, cost_usd }),
        );
      const calls =
        memory_scope === 'sample' ? { input_tokens: 10, cost_usd: 0.5 } : { input_tokens: 0, cost_usd: 0 };
      const { totals } = await keep(store, { memory_scope });
      expect(totals.input_tokens).toBe(calls.input_tokens + 140);
      expect(totals.cost_usd).toBe(calls.cost_usd + 0.75);
      await store.write(
        paidEmbeddingKey('unknown'),
        JSON.stringify({ texts: 1, input_tokens: 1, cost_usd: null }),
      );
      expect((await keep(store, { memory_scope })).totals.cost_usd).toBeNull();
    },
  );

  test('keeps the same when it is done again, and with more samples than go in one part', async () => {
    const store = await leftBehind(...Array.from({ length: 150 }, () => 'no'));
    const runtime = { memory_scope: 'sample' };
    const first = await keep(store, runtime);
    const files = await keys(store, everyPartPrefix());
    expect(first.indices.size).toBe(150);
    expect(await keep(store, runtime)).toEqual(first);
    expect(await keys(store, everyPartPrefix())).toEqual(files);
  });
});

test('with one shared memory all samples are gone through again, and the time counts on', async () => {
  const store = await leftBehind('no no no');
  const before = await keys(store, everyPartPrefix());
  expect(await keep(store, { ...trials3, memory_scope: 'run' })).toEqual({
    indices: new Set(),
    totals: noTotals(),
    wall_seconds: 12.5,
    asked_anew: 0,
  });
  expect(await keys(store, everyPartPrefix())).toEqual(before);
});

test('a new run keeps nothing', async () => {
  const store = await leftBehind('no no no');
  expect((await keep(store, trials3, false)).indices.size).toBe(0);
});
