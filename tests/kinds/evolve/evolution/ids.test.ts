import { describe, expect, test } from 'vitest';
import {
  compareScaffoldIds,
  type IdCounters,
  isScaffoldId,
  LONGEST_SCAFFOLD_ID,
  NO_IDS,
  parentOfScaffold,
  takeScaffoldId,
} from '../../../../src/kinds/evolve/evolution/ids.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';
import { pick, throughJson } from './support.js';

function take(counters: IdCounters, parents: (string | null)[]): { ids: string[]; counters: IdCounters } {
  const ids: string[] = [];
  let current = counters;
  for (const parent of parents) {
    const taken = takeScaffoldId(current, parent);
    ids.push(taken.id);
    current = throughJson(taken.counters);
  }
  return { ids, counters: current };
}

describe('ids', () => {
  test('count from 0, for each parent apart', () => {
    const { ids, counters } = take(NO_IDS, [null, null, null, '2', '2-0', '2', '2-0', '0']);
    expect(ids).toEqual(['0', '1', '2', '2-0', '2-0-0', '2-1', '2-0-1', '0-0']);
    expect(counters).toEqual({ '': 3, '2': 2, '2-0': 2, '0': 1 });
  });

  test('are never given twice, in whatever order parents come', () => {
    const random = createRandom('ids');
    let counters: IdCounters = NO_IDS;
    const given: string[] = [];
    for (let round = 0; round < 2_000; round += 1) {
      const parent = given.length === 0 || random() < 0.1 ? null : pick(given, random);
      const taken = takeScaffoldId(counters, parent);
      expect(parentOfScaffold(taken.id)).toBe(parent);
      expect(isScaffoldId(taken.id)).toBe(true);
      given.push(taken.id);
      counters = taken.counters;
    }
    expect(new Set(given).size).toBe(given.length);
  });

  test('leave the counters that they were taken from as they were', () => {
    const counters = Object.freeze({ '': 1 });
    expect(takeScaffoldId(counters, '0').counters).toEqual({ '': 1, '0': 1 });
    expect(counters).toEqual({ '': 1 });
  });

  test('are in order number by number, parents first', () => {
    const ordered = ['0', '0-0', '1', '2', '2-0', '2-0-0', '2-0-10', '2-1', '2-2', '2-10', '10', '10-0'];
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(shuffled(ordered, createRandom(seed)).sort(compareScaffoldIds)).toEqual(ordered);
    }
    expect(compareScaffoldIds('2-1', '2-1')).toBe(0);
  });

  test.each(['', '-', '01', '1-', '-1', '1--0', 'a', '1-a', '1.0', ' 1', '1\n', '1/0', '..', '1e3', '٣'])(
    '%j is none, and nobody’s parent',
    (text) => {
      expect(isScaffoldId(text)).toBe(false);
      expect(() => takeScaffoldId(NO_IDS, text)).toThrow(RangeError);
      expect(() => parentOfScaffold(text)).toThrow('is no scaffold id');
    },
  );

  test('never grow longer than a folder’s name can be', () => {
    let id = '0';
    while (id.length + 2 <= LONGEST_SCAFFOLD_ID) id = takeScaffoldId(NO_IDS, id).id;
    expect(isScaffoldId(id)).toBe(true);
    expect(() => takeScaffoldId(NO_IDS, id)).toThrow(RangeError);
  });
});
