import { describe, expect, test } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import { reopen } from '../../src/activities/reopen.js';
import { setAside, setAsideCalls } from '../../src/activities/set-aside.js';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ResultRow } from '../../src/contracts/results.js';
import { makeRoomInAgentEval } from '../../src/kinds/agent-eval/contents.js';
import { rolloutResultKey } from '../../src/kinds/agent-eval/paths.js';
import { writePart } from '../../src/kinds/run/activities/part-file.js';
import { makeRoomInRun } from '../../src/kinds/run/contents.js';
import { partKey } from '../../src/kinds/run/paths.js';
import { readRetry } from '../../src/storage/retry-marker.js';
import { call, row } from '../support/rows.js';
import { collect, episodeLine, temporaryStore } from './support.js';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

/** A run's folder: each sample has two calls in each of its trials, and ends with these outcomes. */
async function runWith(...samples: { outcomes: string; more?: Partial<ResultRow> }[]) {
  const store = await temporaryStore();
  const calls = new CallStore(store);
  for (const [index, { outcomes, more = {} }] of samples.entries()) {
    const lines = [];
    for (const [trial, outcome] of outcomes.split(' ').entries()) {
      const asked = [0, 1].map((ordinal) =>
        call({
          sample_id: `s${index}`,
          trial,
          ordinal,
          key: `${index}/${trial}/${ordinal}`,
          at: at(ordinal),
        }),
      );
      for (const record of asked) await calls.save({ record, answer: null });
      const one = { ...row(`s${index}`, trial, outcome, {}, asked), ...(outcome === 'no' ? {} : more) };
      lines.push(episodeLine(index, trial, { row: one, calls: asked }));
    }
    await writePart(store, partKey('earlier', index, 'w0'), lines);
  }
  return store;
}

const aside = async (store: Awaited<ReturnType<typeof runWith>>) =>
  (await collect(setAsideCalls(store))).map(({ key }: CallRecord) => key).sort();

describe('a run whose errors are asked again', () => {
  test.each<[string, Parameters<typeof runWith>, string[]]>([
    ['the reply that was to blame', [{ outcomes: 'EmptyReply' }], ['0/0/1']],
    ['what an agent of one’s own threw at', [{ outcomes: 'TypeError' }], ['0/0/1']],
    ['nothing, where the provider failed', [{ outcomes: 'bad_request' }, { outcomes: 'timeout' }], []],
    [
      'nothing, where a worker or a store failed',
      [{ outcomes: 'WorkerCrash' }, { outcomes: 'StorageError' }],
      [],
    ],
    ['nothing, where a reply could not be judged', [{ outcomes: 'Error', more: { unjudged: 'x' } }], []],
    ['nothing of what is no error', [{ outcomes: 'no' }], []],
    ['of each trial that is an error', [{ outcomes: 'EmptyReply no EmptyReply' }], ['0/0/1', '0/2/1']],
    ['nothing where the last trial is none', [{ outcomes: 'EmptyReply no' }], []],
  ])('sets aside: %s', async (_what, samples, keys) => {
    const store = await runWith(...samples);
    await reopen(store, null, makeRoomInRun);
    expect(await aside(store)).toEqual(keys);
    const calls = new CallStore(store);
    for (const key of keys) {
      const [, trial, ordinal] = key.split('/').map(Number);
      expect(
        await calls.at(call({ sample_id: 's0', trial: trial as number, ordinal: ordinal as number })),
      ).toBeNull();
    }
    expect(await readRetry(store)).toMatchObject({ types: null });
  });

  test('of some types leaves the others as they are, until they are asked as well', async () => {
    const store = await runWith({ outcomes: 'EmptyReply' }, { outcomes: 'TypeError' });
    const first = await reopen(store, ['TypeError'], makeRoomInRun);
    expect(await aside(store)).toEqual(['1/0/1']);
    const second = await reopen(store, null, makeRoomInRun);
    expect(await aside(store)).toEqual(['0/0/1', '1/0/1']);
    expect(second).toEqual({ types: null, at: first.at });
  });

  test('again and again asks no reply again that has come meanwhile', async () => {
    const store = await runWith({ outcomes: 'EmptyReply' });
    await reopen(store, null, makeRoomInRun);
    const record = call({ sample_id: 's0', ordinal: 1, key: 'anew', at: at(9) });
    await new CallStore(store).save({ record, answer: null });
    await reopen(store, null, makeRoomInRun);
    await setAside(store, { call: record, at: at(1) });
    expect(await aside(store)).toEqual(['0/0/1']);
    expect((await new CallStore(store).at(record))?.record.key).toBe('anew');
  });

  test('is refused where nothing of its rows is left to continue from', async () => {
    const store = await temporaryStore();
    await expect(reopen(store, null, makeRoomInRun)).rejects.toThrow('begins anew');
    await expect(reopen(store, null, makeRoomInAgentEval)).rejects.toThrow('begins anew');
    expect(await readRetry(store)).toBeNull();
  });
});

test('of an evaluation only an empty reply is set aside, the newest of its rollout', async () => {
  const store = await temporaryStore();
  const calls = new CallStore(store);
  for (const [trial, type] of ['EmptyReply', 'RewardError', 'timeout'].entries()) {
    for (const ordinal of [0, 1]) {
      const record = call({
        sample_id: 'a',
        trial,
        purpose: 'agent',
        ordinal,
        key: `${trial}/${ordinal}`,
        at: at(ordinal),
      });
      await calls.save({ record, answer: null });
    }
    const result = {
      execution: 'e',
      row: { task_id: 'a', trial, status: 'error', error: { type, message: '' } },
    };
    await store.write(rolloutResultKey('a', trial), JSON.stringify(result));
  }
  await reopen(store, ['EmptyReply', 'RewardError'], makeRoomInAgentEval);
  expect(await aside(store)).toEqual(['0/1']);
});
