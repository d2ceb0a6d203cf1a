import { describe, expect, test } from 'vitest';
import { trainingExamples, validationSubset } from '../../src/evolution/sampling.js';
import { createRandom, shuffled } from '../../src/statistics/random.js';

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
  const chosen = (scaffold_id: string, iteration = 1, purpose: 'generate' | 'evolve' = 'evolve') =>
    trainingExamples(IDS, 3, { seed: 1, iteration, purpose, scaffold_id });

  test('are the same for each try of a scaffold, whatever was drawn for others meanwhile', () => {
    const before = chosen('2-0');
    for (const id of ['0', '1', '2', '2-0-0']) chosen(id);
    expect(chosen('2-0')).toEqual(before);
    expect(new Set(before).size).toBe(3);
  });

  test('differ from scaffold to scaffold, by iteration and by purpose', () => {
    const choices = [chosen('2-0'), chosen('2'), chosen('2-0', 2), chosen('2-0', 1, 'generate')].map((ids) =>
      ids.join(),
    );
    expect(new Set(choices).size).toBe(choices.length);
  });

  test('are each the first one equally often', () => {
    const counts = new Map<string, number>();
    for (let id = 0; id < 8_000; id += 1) {
      const [first = ''] = chosen(String(id));
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    // 200 expected, with a standard deviation of 14.
    expect(counts.size).toBe(40);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(80);
  });
});
