import { describe, expect, it } from 'vitest';
import { readAhead, recordsBelow } from '../../src/storage/read-ahead.js';
import { MemoryStore } from '../support/memory-store.js';

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const NUMBERS = Array.from({ length: 100 }, (_, number) => number);

describe('readAhead', () => {
  it('answers in the order of the items, though later ones are there sooner', async () => {
    const read = async (number: number) => {
      for (let turn = number % 7; turn < 7; turn++) await Promise.resolve();
      return number * 2;
    };
    expect(await all(readAhead(NUMBERS, read))).toEqual(NUMBERS.map((number) => number * 2));
    expect(await all(readAhead([], read))).toEqual([]);
  });

  it('has some on their way at once, and not all of them', async () => {
    let [now, most] = [0, 0];
    const read = async (number: number) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      return number;
    };
    await all(readAhead(NUMBERS, read));
    expect(most).toBe(32);
  });

  it('throws what its turn throws, after what came before it', async () => {
    const seen: number[] = [];
    const read = async (number: number) => {
      if (number === 3 || number === 5) throw new Error(`${number} is unreachable`);
      return number;
    };
    const reading = (async () => {
      for await (const number of readAhead(NUMBERS, read)) seen.push(number);
    })();
    await expect(reading).rejects.toThrow('3 is unreachable');
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('recordsBelow', () => {
  it('reads what is wanted below a prefix, and leaves out what has gone', async () => {
    const store = new MemoryStore();
    for (const name of ['a/1.json', 'a/2.json', 'a/3.json', 'b/4.json']) {
      await store.write(name, JSON.stringify({ name }));
    }
    const read = store.readText.bind(store);
    store.readText = async (key) => (key === 'a/2.json' ? null : read(key));
    expect(await all(recordsBelow(store, 'a/'))).toEqual([{ name: 'a/1.json' }, { name: 'a/3.json' }]);
    expect(await all(recordsBelow(store, 'a/', (key) => key.includes('3')))).toEqual([{ name: 'a/3.json' }]);
  });
});
