import { describe, expect, test } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import { keepFirst } from '../../src/activities/first-record.js';
import { unlessOver } from '../../src/activities/unless-over.js';
import { ExecutionStore } from '../../src/kinds/run/activities/execution-record.js';
import { call } from '../support/rows.js';
import { keys, temporaryStore } from './support.js';

const LATER = '2025-01-01T00:00:05.000Z';

interface Note {
  key: string;
  text: string;
}

const keyOf = ({ key }: Note) => key;

describe('the first record', () => {
  test('of the same work is kept, and everybody continues with it', async () => {
    const store = await temporaryStore();
    const notes = ['a', 'b', 'c'].map((text) => ({ key: 'k', text }));
    const kept = await Promise.all(notes.map((record) => keepFirst(store, 'place', { record, keyOf })));
    const [first] = kept;
    expect(kept).toEqual([first, first, first]);
    expect(JSON.parse((await store.readText('place')) ?? '')).toEqual(first);
    expect(await keepFirst(store, 'place', { record: { key: 'k', text: 'late' }, keyOf })).toEqual(first);
  });

  test('of other work at its place is replaced', async () => {
    const store = await temporaryStore();
    await keepFirst(store, 'place', { record: { key: 'earlier', text: 'a' }, keyOf });
    const record = { key: 'now', text: 'b' };
    expect(await keepFirst(store, 'place', { record, keyOf })).toEqual(record);
    expect(JSON.parse((await store.readText('place')) ?? '')).toEqual(record);
  });

  test('where the place is cleared between the two looks, it is written', async () => {
    const store = await temporaryStore();
    let writes = 0;
    const clearedOnce = new Proxy(store, {
      get(target, name) {
        if (name === 'write' && writes++ === 0) return async () => false;
        const value = target[name as keyof typeof target] as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const record = { key: 'k', text: 'a' };
    expect(await keepFirst(clearedOnce, 'place', { record, keyOf })).toEqual(record);
    expect(JSON.parse((await store.readText('place')) ?? '')).toEqual(record);
  });
});

describe('a call that two workers have asked for', () => {
  const first = call({ key: 'k', text: 'first', repeated: 0 });
  const second = call({ key: 'k', text: 'second', attempts: 2, repeated: 0, maybe_repeated: 1, at: LATER });

  test('has the reply that was stored first, and was repeated', async () => {
    const store = await temporaryStore();
    const [frozen, healthy] = [new CallStore(store), new CallStore(store)];
    await healthy.save({ record: second, answer: null });
    const heard = await frozen.save({ record: first, answer: null });
    // What may have been is known now: both have been answered.
    const { maybe_repeated: _maybe, ...known } = { ...second, repeated: 1 };
    expect(heard.record).toEqual(known);
    expect((await frozen.at(first))?.record).toEqual(known);
  });

  test('counts as repeated also where the one that was asked first came first', async () => {
    const store = await temporaryStore();
    await new CallStore(store).save({ record: first, answer: null });
    const { record } = await new CallStore(store).save({ record: second, answer: null });
    expect(record).toEqual({ ...first, attempts: first.attempts + 1, repeated: 1 });
    expect((await new CallStore(store).at(first))?.record).toEqual(record);
  });

  test('counts as repeated also where the one that was asked first remembers it otherwise', async () => {
    const store = await temporaryStore();
    const frozen = new CallStore(store);
    await frozen.save({ record: first, answer: null });
    await new CallStore(store).save({ record: second, answer: null });
    expect((await frozen.at(first))?.record.repeated).toBe(0);
    frozen.forget();
    expect((await frozen.at(first))?.record.repeated).toBe(1);
  });

  test('is counted with what is known of it, and no more often', async () => {
    const store = await temporaryStore();
    const calls = new CallStore(store);
    const stored = await calls.save({ record: second, answer: null });
    expect(await calls.countRepeated(stored, { crashes: 1, sent: 0 })).toBe(stored);
    const counted = { attempts: second.attempts + 2, repeated: 1, maybe_repeated: 2 };
    expect((await calls.countRepeated(stored, { crashes: 3, sent: 1 })).record).toMatchObject(counted);
    expect((await calls.at(second))?.record).toMatchObject(counted);
    const cached = await calls.save({ record: call({ ordinal: 7, cached: true }), answer: null });
    expect(await calls.countRepeated(cached, { crashes: 3, sent: 3 })).toBe(cached);
    // A person's words were asked of no provider.
    const { usage: _usage, ...said } = call({ ordinal: 8 });
    await calls.save({ record: said, answer: null });
    const again = await calls.save({ record: { ...said, at: LATER }, answer: null });
    expect(again.record).toEqual(said);
  });

  test('has one answer of its environment, the first', async () => {
    const store = await temporaryStore();
    const answers = [1, 0].map((reward) => ({
      state: null,
      obs: null,
      done: true,
      reward,
      feedback: { correct: reward === 1, target: 't', message: 'm' },
    }));
    const [won, lost] = answers as [(typeof answers)[0], (typeof answers)[0]];
    const calls = new CallStore(store);
    const stored = await calls.save({ record: first, answer: null });
    expect(await calls.answerTo(stored)).toBeNull();
    expect(await calls.keepAnswer(first, won)).toEqual(won);
    expect(await new CallStore(store).keepAnswer(first, lost)).toEqual(won);
    expect(await new CallStore(store).answerTo(stored)).toEqual(won);
    // To another question at the same place it is none.
    const other = { ...stored, record: { ...first, key: 'k2' } };
    expect(await calls.answerTo(other)).toBeNull();
  });

  test('a program that ran twice has the result that was stored first', async () => {
    const store = await temporaryStore();
    const place = { sample_id: 's', trial: 0, ordinal: 0 };
    const record = (stdout: string) => ({ ...place, key: 'k', stdout }) as never;
    expect(await new ExecutionStore(store).save(record('1'))).toMatchObject({ stdout: '1' });
    expect(await new ExecutionStore(store).save(record('2'))).toMatchObject({ stdout: '1' });
  });
});

describe('work that another attempt has finished', () => {
  test('is not begun again', async () => {
    const result = await unlessOver(
      async () => 'theirs',
      async () => {
        throw new Error('begun');
      },
    );
    expect(result).toBe('theirs');
  });

  test.each([
    ['write', (store: { write: (key: string, body: string) => unknown }) => store.write('late', 'x')],
    ['delete', (store: { delete: (keys: string[]) => unknown }) => store.delete(['kept'])],
    ['delete a folder', (store: { deleteFolder: (key: string) => unknown }) => store.deleteFolder('folder')],
  ])('while this one slept is not changed by it: %s', async (_what, change) => {
    const store = await temporaryStore();
    await store.write('kept', 'x');
    await store.write('folder/kept', 'x');
    let theirs: string | null = null;
    const result = await unlessOver(
      async () => theirs,
      async (guard) => {
        await guard(store).write('before', 'x');
        theirs = 'theirs';
        await change(guard(store) as never);
        return 'mine';
      },
    );
    expect(result).toBe('theirs');
    expect(await keys(store)).toEqual(['before', 'folder/kept', 'kept']);
  });

  test('while this one wrote a file leaves theirs', async () => {
    const store = await temporaryStore();
    let theirs: string | null = null;
    async function* source() {
      yield 'mine';
      await store.write('file', 'theirs');
      theirs = 'theirs';
      yield 'mine';
    }
    const result = await unlessOver(
      async () => theirs,
      async (guard) => {
        await guard(store).writeStream('file', source());
        return 'mine';
      },
    );
    expect(result).toBe('theirs');
    expect(await store.readText('file')).toBe('theirs');
    expect(await keys(store)).toEqual(['file']);
  });

  test('what it stumbles over is an error where nobody has finished', async () => {
    const failing = unlessOver<string>(
      async () => null,
      async () => {
        throw new Error('the store is unreachable');
      },
    );
    await expect(failing).rejects.toThrow('the store is unreachable');
  });
});
