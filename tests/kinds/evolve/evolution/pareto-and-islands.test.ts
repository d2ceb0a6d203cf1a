import { describe, expect, test } from 'vitest';
import type { CodeTraits } from '../../../../src/kinds/evolve/evolution/duplicates.js';
import { validationOf } from '../../../../src/kinds/evolve/evolution/scores.js';
import { cellOf } from '../../../../src/kinds/evolve/evolution/selection/islands.js';
import { frontOf } from '../../../../src/kinds/evolve/evolution/selection/pareto.js';
import {
  createSelection,
  type Newcomer,
  type Selection,
} from '../../../../src/kinds/evolve/evolution/selection.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { below } from './support.js';

const SAME: CodeTraits = { characters: 100, model_calls: 0 };

describe('the Pareto front', () => {
  const front = (rows: Record<string, number[]>) =>
    Object.fromEntries(
      frontOf(
        Object.fromEntries(
          Object.entries(rows).map(([id, scores]) => [
            id,
            validationOf(Object.fromEntries(scores.entries())),
          ]),
        ),
      ),
    );

  test('keeps who is the best somewhere, with the number of examples where it is', () => {
    expect(front({ 0: [1, 0, 0], 1: [0, 1, 1], 2: [0.5, 0.5, 0.5] })).toEqual({ 0: 1, 1: 2 });
    expect(front({ 0: [0.3] })).toEqual({ 0: 1 });
    expect(front({})).toEqual({});
  });

  test('drops who is nowhere better than all others, the weakest first', () => {
    // 0 and 1 share the first example, and 1 has the second one besides.
    expect(front({ 0: [1, 0], 1: [1, 1] })).toEqual({ 1: 2 });
    // Each example of 2 is covered by 0 or 1, which are better on the whole.
    expect(front({ 0: [1, 0.4, 0, 1], 1: [0, 1, 1, 0.4], 2: [1, 0, 1, 0] })).toEqual({ 0: 2, 1: 2 });
    // Equal scaffolds: the first stays.
    expect(front({ 0: [1, 1], '0-0': [1, 1], 3: [1, 1] })).toEqual({ 0: 2 });
  });

  test('covers every example’s best score, with no scaffold to spare, whatever the scores', () => {
    const random = createRandom('fronts');
    for (let round = 0; round < 300; round += 1) {
      const examples = 1 + below(6, random);
      const rows = Object.fromEntries(
        Array.from({ length: 1 + below(8, random) }, (_, id) => [
          String(id),
          Array.from({ length: examples }, () => below(3, random) / 2),
        ]),
      );
      const kept = Object.keys(front(rows));
      const best = (ids: string[], example: number) =>
        Math.max(...ids.map((id) => rows[id]?.[example] as number));
      const covers = (ids: string[]) =>
        ids.length > 0 &&
        Array.from({ length: examples }).every(
          (_, index) => best(ids, index) === best(Object.keys(rows), index),
        );
      expect(covers(kept), JSON.stringify(rows)).toBe(true);
      for (const id of kept)
        expect(covers(kept.filter((other) => other !== id)), `${id} of ${JSON.stringify(rows)}`).toBe(false);
    }
  });

  test('is validated anew in each iteration with the new ones, and with nobody else', () => {
    const selection = createSelection({ kind: 'pareto' }, 1);
    const newcomer = (id: string): Newcomer => ({ id, parent_scaffold_id: null, traits: SAME });
    selection.begin({ iteration: 1, newcomers: ['0', '1', '2'].map(newcomer), parents: 2 });
    selection.offer();
    selection.record('0', validationOf({ a: 1, b: 0 }));
    selection.record('1', validationOf({ a: 0, b: 1 }));
    selection.record('2', validationOf({ a: 0, b: 0.5 }));
    selection.begin({ iteration: 2, newcomers: [newcomer('3')], parents: 2 });
    expect(selection.offer()).toEqual(['0', '1', '3']);
  });

  test('draws a parent with a chance in proportion to the examples where it is the best', () => {
    let first = 0;
    for (let seed = 0; seed < 2_000; seed += 1) {
      const selection = createSelection({ kind: 'pareto' }, seed);
      selection.begin({
        iteration: 1,
        newcomers: ['0', '1'].map((id) => ({ id, parent_scaffold_id: null, traits: SAME })),
        parents: 1,
      });
      selection.offer();
      selection.record('0', validationOf({ a: 1, b: 1, c: 1, d: 0 }));
      selection.record('1', validationOf({ a: 0, b: 0, c: 0, d: 1 }));
      if (selection.parents()?.[0] === '0') first += 1;
    }
    expect(first / 2_000).toBeCloseTo(0.75, 1);
  });
});

describe('islands', () => {
  const newcomer = (id: string, parent: string | null = null, of: CodeTraits = SAME): Newcomer => ({
    id,
    parent_scaffold_id: parent,
    traits: of,
  });
  const islands = (count: number, migration_interval = 0) =>
    createSelection({ kind: 'islands', islands: count, migration_interval }, 1);
  const record = (selection: Selection, scores: Record<string, number>) => {
    for (const id of selection.offer()) selection.record(id, validationOf({ a: scores[id] as number }));
  };

  test('validate a new scaffold together with the elite whose cell it wants, and leave the others alone', () => {
    const selection = islands(1);
    selection.begin({
      iteration: 1,
      newcomers: [newcomer('0'), newcomer('1', null, { characters: 3_000, model_calls: 2 })],
      parents: 1,
    });
    expect(selection.offer()).toEqual(['0', '1']);
    selection.record('0', validationOf({ a: 0.5 }));
    selection.record('1', validationOf({ a: 0.5 }));
    selection.begin({ iteration: 2, newcomers: [newcomer('0-0', '0')], parents: 5 });
    expect(selection.offer()).toEqual(['0', '0-0']);
    selection.record('0', validationOf({ a: 0.7 }));
    selection.record('0-0', validationOf({ a: 0.7 }));
    // Only as good is not good enough for the cell; it follows where more are asked for than have one.
    expect(selection.parents()?.toSorted()).toEqual(['0', '0-0', '1']);
    expect(selection.fillers?.()).toEqual(['0-0']);
  });

  test('give a cell that two new scaffolds deserve equally to the first of them by id', () => {
    for (const newcomers of [
      [newcomer('2'), newcomer('10')],
      [newcomer('10'), newcomer('2')],
    ]) {
      const selection = islands(1);
      selection.begin({ iteration: 1, newcomers, parents: 2 });
      record(selection, { 2: 0.5, 10: 0.5 });
      expect(selection.fillers?.()).toEqual(['10']);
      expect(selection.parents()).toEqual(['2', '10']);
    }
  });

  test('keep to themselves without migration', () => {
    const selection = islands(2);
    selection.begin({ iteration: 1, newcomers: [newcomer('0'), newcomer('1')], parents: 2 });
    record(selection, { 0: 1, 1: 0.1 });
    expect(selection.parents()?.toSorted()).toEqual(['0', '1']);
    selection.begin({ iteration: 2, newcomers: [newcomer('0-0', '0'), newcomer('1-0', '1')], parents: 2 });
    record(selection, { 0: 1, 1: 0.1, '0-0': 0.5, '1-0': 0.2 });
    // 1-0 is worse than anything on the other island, but the best of its own.
    expect(selection.parents()?.toSorted()).toEqual(['0', '1-0']);
  });

  test('take the best of the island before at a migration, where it beats what they have', () => {
    const selection = islands(2, 2);
    selection.begin({ iteration: 1, newcomers: [newcomer('0'), newcomer('1')], parents: 2 });
    record(selection, { 0: 1, 1: 0.1 });
    selection.begin({ iteration: 2, newcomers: [], parents: 2 });
    expect(selection.offer()).toEqual([]);
    // 0 holds the cell on both islands now, and nobody is a parent twice.
    expect(selection.parents()).toEqual(['0', '1']);
    expect(selection.fillers?.()).toEqual(['1']);
  });

  test('send at a migration who was theirs before it, not who just arrived', () => {
    const selection = islands(3, 2);
    selection.begin({ iteration: 1, newcomers: ['0', '1', '2'].map((id) => newcomer(id)), parents: 3 });
    record(selection, { 0: 0.9, 1: 0.5, 2: 0.1 });
    selection.begin({ iteration: 2, newcomers: [], parents: 3 });
    // 0 went to island 1 and 1 to island 2; had they gone one after the other, 0 would be everywhere.
    expect(selection.parents()?.toSorted()).toEqual(['0', '1', '2']);
    expect(selection.fillers?.()).toEqual(['2']);
  });

  test('fill up with the best of those without a cell, where all fall into one', () => {
    const selection = islands(1);
    const newcomers = ['0', '1', '2', '3'].map((id) => newcomer(id));
    selection.begin({ iteration: 1, newcomers, parents: 3 });
    record(selection, { 0: 0.1, 1: 0.9, 2: 0.5, 3: 0.7 });
    expect(selection.parents()).toEqual(['1', '3', '2']);
    expect(selection.fillers?.()).toEqual(['3', '2']);
    // Whoever fills up stays where it was: its children are of its island.
    selection.begin({ iteration: 2, newcomers: [newcomer('3-0', '3')], parents: 1 });
    expect(selection.offer()).toEqual(['1', '3-0']);
  });

  test('do not fill up with whoever was given up', () => {
    const selection = islands(1);
    selection.begin({ iteration: 1, newcomers: [newcomer('0'), newcomer('1')], parents: 1 });
    record(selection, { 0: 0.9, 1: 0.1 });
    selection.begin({ iteration: 2, newcomers: [newcomer('0-0', '0')], parents: 3 });
    expect(selection.offer()).toEqual(['0', '0-0']);
    selection.withdraw('0');
    selection.record('0-0', validationOf({ a: 0.5 }));
    expect(selection.parents()).toEqual(['0-0', '1']);
  });

  test('send a migrant’s children to the island it was drawn from', () => {
    const selection = islands(2, 1);
    const large = { characters: 9_000, model_calls: 0 };
    selection.begin({ iteration: 1, newcomers: [newcomer('0'), newcomer('1', null, large)], parents: 2 });
    record(selection, { 0: 0.6, 1: 0.5 });
    // Both islands have both of them after this migration; the parents are drawn from island 0 and island 1.
    selection.begin({ iteration: 2, newcomers: [], parents: 2 });
    const parents = selection.parents() as string[];
    expect(parents.toSorted()).toEqual(['0', '1']);
    const children = parents.map((id) => newcomer(`${id}-0`, id));
    selection.begin({ iteration: 3, newcomers: children, parents: 2 });
    const state = selection.snapshot();
    expect(state.kind === 'islands' && children.map(({ id }) => state.homes[id])).toEqual([0, 1]);
  });

  test('tell kinds of scaffolds by size and calls', () => {
    const cells = [0, 499, 500, 999, 1_000, 1_999, 2_000].map((characters) =>
      cellOf({ characters, model_calls: 0 }),
    );
    expect(cells.map((cell) => cell.slice(0, 6))).toEqual([
      'size 0',
      'size 0',
      'size 1',
      'size 1',
      'size 2',
      'size 2',
      'size 3',
    ]);
    const calls = [0, 1, 2, 3, 40].map((model_calls) => cellOf({ characters: 0, model_calls }));
    expect(new Set(calls).size).toBe(4);
  });

  test.each([0, -1, 1.5, Number.NaN])('cannot be %d', (count) => {
    expect(() => islands(count)).toThrow(RangeError);
  });
});
