import { describe, expect, test } from 'vitest';
import { dealtExamples, validationSubset } from '../../../../src/kinds/evolve/evolution/sampling.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';

const IDS = Array.from({ length: 40 }, (_, index) => `example-${index}`);
const subset = (iteration: number, seed: number | string = 1, ids = IDS, count = 10) =>
  validationSubset(ids, count, { seed, iteration });

describe('the validation examples', () => {
  test('are the same for an iteration whenever they are asked for', () => {
    expect(subset(3)).toEqual(subset(3));
    createRandom('validation:1:3');
    subset(4);
    expect(subset(3)).toEqual(subset(3));
  });

  test('change with the iteration and with the seed', () => {
    const subsets = [subset(1), subset(2), subset(11), subset(1, 2), subset(1, 11)].map((ids) => ids.join());
    expect(new Set(subsets).size).toBe(subsets.length);
  });

  test('hang on the set of examples, not on the order of the rows', () => {
    const rows = shuffled(IDS, createRandom(9));
    expect(subset(3, 1, rows).sort()).toEqual(subset(3).sort());
    expect(subset(3)).toEqual(IDS.filter((id) => subset(3).includes(id)));
  });

  test('are part of a larger subset, and all of them where there are no more', () => {
    expect(subset(3, 1, IDS, 11)).toEqual(expect.arrayContaining(subset(3)));
    expect(subset(3, 1, IDS, 40)).toEqual(IDS);
    expect(subset(3, 1, IDS, 400)).toEqual(IDS);
    expect(subset(3, 1, IDS, 0)).toEqual([]);
    expect(subset(3, 1, [], 5)).toEqual([]);
  });

  test('are all chosen equally often', () => {
    const counts = new Map<string, number>();
    for (let iteration = 0; iteration < 4_000; iteration += 1) {
      for (const id of subset(iteration)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect(counts.size).toBe(40);
    // 1,000 expected, with a standard deviation of 27.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  test.each([-1, 1.5, Number.NaN])('cannot be %d', (count) => {
    expect(() => subset(1, 1, IDS, count)).toThrow(RangeError);
  });
});

describe('the training examples', () => {
  const hand = (number: number, count = 3, ids = IDS, purpose: 'generate' | 'evolve' = 'evolve') =>
    dealtExamples(ids, count, { seed: 1, purpose, hand: number });

  test('are the same for each try of a scaffold, whatever was dealt to others meanwhile', () => {
    const before = hand(5);
    for (const other of [0, 1, 2, 9]) hand(other);
    expect(hand(5)).toEqual(before);
    expect(new Set(before).size).toBe(3);
  });

  test('differ by purpose and by seed, and hang on no order of the rows', () => {
    expect(hand(0, 3, IDS, 'generate')).not.toEqual(hand(0));
    expect(dealtExamples(IDS, 3, { seed: 2, purpose: 'evolve', hand: 0 })).not.toEqual(hand(0));
    expect(hand(7, 3, shuffled(IDS, createRandom(9)))).toEqual(hand(7));
  });

  test.each([
    [40, 1],
    [40, 3],
    [7, 3],
    [5, 4],
    [2, 2],
    [3, 9],
    [1, 1],
  ])('of %d, in hands of %d, none comes up again until all have', (size, count) => {
    const ids = IDS.slice(0, size);
    const dealt = Array.from({ length: 30 }, (_, number) => hand(number, count, ids));
    for (const examples of dealt) {
      expect(examples).toHaveLength(Math.min(count, size));
      expect(new Set(examples).size).toBe(examples.length);
    }
    const all = dealt.flat();
    for (let start = 0; start + size <= all.length; start += size) {
      expect(new Set(all.slice(start, start + size)).size).toBe(size);
    }
  });

  test('come in another order each time the deck is dealt', () => {
    const orders = [0, 1, 2].map((round) =>
      Array.from({ length: 40 }, (_, index) => hand(40 * round + index, 1)).join(),
    );
    expect(new Set(orders).size).toBe(3);
  });

  test('are each the first one equally often', () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 8_000; seed += 1) {
      const [first = ''] = dealtExamples(IDS, 3, { seed, purpose: 'evolve', hand: 0 });
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    // 200 expected, with a standard deviation of 14.
    expect(counts.size).toBe(40);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(80);
  });

  test('are none where none are asked for or there are none', () => {
    expect(hand(3, 0)).toEqual([]);
    expect(hand(3, 2, [])).toEqual([]);
    expect(() => hand(0, -1)).toThrow(RangeError);
  });
});
