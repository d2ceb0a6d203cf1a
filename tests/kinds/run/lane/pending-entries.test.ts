import { describe, expect, test } from 'vitest';
import { PendingEntries } from '../../../../src/kinds/run/lane/pending-entries.js';
import type { JournalEntry } from '../../../../src/memory/memory-module.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { experience } from '../../../memory/support.js';

const entry = (content: string): JournalEntry => ({ _type: 'cheatsheet', content });
const names = (entries: readonly JournalEntry[]) =>
  entries.map((one) => (one._type === 'cheatsheet' ? one.content : one.obs));

describe('entries that are not written down yet', () => {
  test('begin at a number, and follow on each other', () => {
    const pending = new PendingEntries(5, [entry('five')]);
    pending.append(6, entry('six'));
    expect(pending.batch()).toEqual({ from: 5, entries: [entry('five'), entry('six')] });
    expect([pending.from, pending.length]).toEqual([5, 2]);
  });

  test('leave no gap', () => {
    const pending = new PendingEntries(5);
    expect(() => pending.append(6, entry('six'))).toThrow('ends at 5, and was given entry 6');
    expect(pending.batch()).toEqual({ from: 5, entries: [] });
  });

  test('are gone from a number on, when the memory goes back to it', () => {
    const pending = new PendingEntries(5, ['five', 'six', 'seven'].map(entry));
    pending.truncate(9);
    expect(names(pending.entries())).toEqual(['five', 'six', 'seven']);
    pending.truncate(6);
    expect(pending.batch()).toEqual({ from: 5, entries: [entry('five')] });
    pending.append(6, entry('other six'));
    expect(names(pending.entries())).toEqual(['five', 'other six']);
  });

  test('may go back to before what is written down already', () => {
    const pending = new PendingEntries(5, [entry('five')]);
    pending.truncate(2);
    expect(pending.batch()).toEqual({ from: 2, entries: [] });
    pending.append(2, entry('two'));
    expect(pending.batch()).toEqual({ from: 2, entries: [entry('two')] });
  });

  test('written over at once, without going back first', () => {
    const pending = new PendingEntries(0, ['a', 'b', 'c'].map(entry));
    pending.append(1, entry('d'));
    expect(names(pending.entries())).toEqual(['a', 'd']);
  });

  test('are let go once they are written down', () => {
    const pending = new PendingEntries(0, ['a', 'b', 'c'].map(entry));
    pending.release(2);
    expect(pending.batch()).toEqual({ from: 2, entries: [entry('c')] });
    pending.release(1);
    expect(pending.batch()).toEqual({ from: 2, entries: [entry('c')] });
    pending.release(3);
    expect(pending.batch()).toEqual({ from: 3, entries: [] });
  });

  test('that came while a batch was being written stay', () => {
    const pending = new PendingEntries(0, [entry('a')]);
    const batch = pending.batch();
    pending.append(1, entry('b'));
    pending.release(batch.from + batch.entries.length);
    expect(pending.batch()).toEqual({ from: 1, entries: [entry('b')] });
    // And the batch is still what it was.
    expect(batch).toEqual({ from: 0, entries: [entry('a')] });
  });

  test('know how much text they hold', () => {
    const pending = new PendingEntries(0, [entry('four')]);
    pending.append(1, experience('question', { action: 'answer' }));
    expect(pending.chars).toBe('four'.length + 'question'.length + 'answer'.length);
  });
});

test('held, gone back and written in any order, they are what a list would be', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = createRandom(`pending ${seed}`);
    const below = (limit: number) => Math.floor(random() * limit);
    /** Every entry there is, and what lies in the store of it. */
    let all: string[] = [];
    let written: string[] = [];
    let pending = new PendingEntries(0);
    for (let turn = 0; turn < 60; turn++) {
      const draw = random();
      if (draw < 0.6) {
        // Mostly at the end, sometimes over earlier ones.
        const at = random() < 0.85 ? all.length : below(all.length + 1);
        all = [...all.slice(0, at), `${seed}.${turn}`];
        pending.append(at, entry(`${seed}.${turn}`));
      } else if (draw < 0.7) {
        const at = below(all.length + 1);
        all = all.slice(0, at);
        pending.truncate(at);
      } else if (draw < 0.9) {
        const { from, entries } = pending.batch();
        written = [...written.slice(0, from), ...names(entries)];
        pending.release(from + entries.length);
        expect(written).toEqual(all);
        expect(pending.length).toBe(0);
      } else {
        // The lane continues in another execution.
        const { from, entries } = JSON.parse(JSON.stringify(pending.batch())) as ReturnType<
          PendingEntries['batch']
        >;
        pending = new PendingEntries(from, entries);
      }
      expect([...written.slice(0, pending.from), ...names(pending.entries())]).toEqual(all);
    }
  }
});
