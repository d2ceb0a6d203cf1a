import { describe, expect, test } from 'vitest';
import type { CodeTraits } from '../../../../src/kinds/evolve/evolution/duplicates.js';
import { compareScaffoldIds, NO_IDS, takeScaffoldId } from '../../../../src/kinds/evolve/evolution/ids.js';
import { type Validation, validationOf } from '../../../../src/kinds/evolve/evolution/scores.js';
import {
  createSelection,
  type Newcomer,
  restoreSelection,
  type Selection,
  type SelectionSettings,
} from '../../../../src/kinds/evolve/evolution/selection.js';
import { createRandom, type Random, shuffled } from '../../../../src/statistics/random.js';
import { below, throughJson } from './support.js';

const SETTINGS: SelectionSettings[] = [
  { kind: 'top_k' },
  { kind: 'islands', islands: 3, migration_interval: 2 },
  { kind: 'pareto' },
];

const PARENTS = 3;

/** What a scaffold scores, fixed by its id, the example and the iteration; a child resembles its parent. */
function truth(id: string, iteration: number): Validation {
  const scores = [0, 1, 2, 3, 4].map((number) => {
    const example = `${iteration}-${number}`;
    const parts = id.split('-').map((_, depth, all) => all.slice(0, depth + 1).join('-'));
    const sum = parts.reduce((total, part) => total + createRandom(`${part}:${example}`)(), 0);
    return [example, Math.round((sum / parts.length) * 4) / 4] as const;
  });
  return validationOf(Object.fromEntries(scores));
}

function traits(id: string): CodeTraits {
  const random = createRandom(`traits:${id}`);
  return { characters: 100 + below(4_000, random), model_calls: below(5, random) };
}

interface Step {
  validated: string[];
  parents: string[];
}

/** A selection that may be put away and taken up again between any two steps, as by a worker that dies. */
class Restarting {
  constructor(
    public selection: Selection,
    private readonly restarts: boolean,
  ) {}

  restart(): void {
    if (this.restarts) this.selection = restoreSelection(throughJson(this.selection.snapshot()));
  }
}

/** An experiment of some iterations whose validations end in random order. */
function evolve(settings: SelectionSettings, schedule: Random, restarts: boolean, iterations = 8): Step[] {
  const holder = new Restarting(createSelection(settings, 7), restarts);
  let counters = NO_IDS;
  const make = (parent: string | null): Newcomer => {
    const taken = takeScaffoldId(counters, parent);
    counters = taken.counters;
    return { id: taken.id, parent_scaffold_id: parent, traits: traits(taken.id) };
  };
  let newcomers = Array.from({ length: 5 }, () => make(null));
  const steps: Step[] = [];
  for (let iteration = 1; iteration <= iterations; iteration += 1) {
    holder.selection.begin({ iteration, newcomers: shuffled(newcomers, schedule), parents: PARENTS });
    const validated = finish(holder, iteration, schedule);
    // One parent in four cannot be evolved.
    const isUseless = (id: string) => createRandom(`useless:${id}:${iteration}`)() < 0.25;
    let parents = holder.selection.parents() as string[];
    for (let known = -1; known < parents.length; ) {
      known = parents.length;
      const missing = PARENTS - parents.filter((id) => !isUseless(id)).length;
      if (missing <= 0) break;
      holder.selection.widen(missing);
      validated.push(...finish(holder, iteration, schedule));
      parents = holder.selection.parents() as string[];
    }
    steps.push({ validated: validated.sort(compareScaffoldIds), parents });
    const useful = parents.filter((id) => !isUseless(id));
    newcomers = useful.sort(compareScaffoldIds).map((id) => make(id));
  }
  return steps;
}

function finish(holder: Restarting, iteration: number, schedule: Random): string[] {
  const running: string[] = [];
  const validated: string[] = [];
  for (;;) {
    running.push(...holder.selection.offer());
    holder.restart();
    if (running.length === 0) return validated;
    expect(holder.selection.parents()).toBeNull();
    const [id] = running.splice(below(running.length, schedule), 1) as [string];
    holder.selection.record(id, truth(id, iteration));
    validated.push(id);
    holder.restart();
  }
}

describe.each(SETTINGS)('$kind', (settings) => {
  const steps = evolve(settings, createRandom(0), false);

  test('comes to the same whatever order validations end in, and when it is taken up again from JSON', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      expect(evolve(settings, createRandom(seed), seed % 2 === 0)).toEqual(steps);
    }
  });

  test('validates every scaffold at most once an iteration, and every parent in some iteration', () => {
    const ever = new Set<string>();
    for (const { validated, parents } of steps) {
      expect(new Set(validated).size).toBe(validated.length);
      for (const id of validated) ever.add(id);
      for (const id of parents) expect(ever).toContain(id);
    }
  });

  test('names no parent twice, and as many as asked for while there are any', () => {
    for (const { parents } of steps) {
      expect(new Set(parents).size).toBe(parents.length);
      expect(parents.length).toBeGreaterThanOrEqual(PARENTS);
    }
  });

  test('keeps the parents it has named when it is asked for more and nothing new is validated', () => {
    const selection = createSelection(settings, 1);
    const newcomers = ['0', '1', '2', '3', '4'].map((id) => ({
      id,
      parent_scaffold_id: null,
      traits: traits(id),
    }));
    selection.begin({ iteration: 1, newcomers, parents: 2 });
    finish(new Restarting(selection, false), 1, createRandom(1));
    const before = selection.parents() as string[];
    expect(before).toHaveLength(2);
    selection.widen(1);
    expect(selection.parents()?.slice(0, 2)).toEqual(before);
    selection.widen(10);
    expect(new Set(selection.parents()).size).toBe(selection.parents()?.length);
  });

  test('says so when it is asked before an iteration, or told what it did not ask for', () => {
    const selection = createSelection(settings, 1);
    expect(() => selection.offer()).toThrow('no iteration');
    expect(() => selection.parents()).toThrow('no iteration');
    selection.begin({
      iteration: 1,
      newcomers: [{ id: '0', parent_scaffold_id: null, traits: traits('0') }],
      parents: 1,
    });
    expect(() => selection.record('0', validationOf({ a: 1 }))).toThrow('not asked for');
    expect(selection.offer()).toEqual(['0']);
    expect(selection.offer()).toEqual([]);
    expect(() => selection.record('0', { score: Number.NaN, by_example: {} })).toThrow(RangeError);
    selection.record('0', validationOf({ a: 1 }));
    expect(() => selection.record('0', validationOf({ a: 1 }))).toThrow('already');
    expect(selection.parents()).toEqual(['0']);
  });

  test('takes an iteration without new scaffolds', () => {
    const selection = createSelection(settings, 1);
    selection.begin({ iteration: 1, newcomers: [], parents: 2 });
    expect(selection.offer()).toEqual([]);
    expect(selection.parents()).toEqual([]);
  });
});

test('top_k ranks a historical scaffold by its most recent score', () => {
  const selection = createSelection({ kind: 'top_k' }, 1);
  const newcomer = (id: string): Newcomer => ({ id, parent_scaffold_id: null, traits: traits(id) });
  const validate = (scores: Record<string, number>) => {
    for (let offered = selection.offer(); offered.length > 0; offered = selection.offer()) {
      for (const id of offered) selection.record(id, validationOf({ a: scores[id] as number }));
    }
  };
  selection.begin({ iteration: 1, newcomers: [newcomer('0'), newcomer('1'), newcomer('2')], parents: 1 });
  validate({ 0: 0.9, 1: 0.8, 2: 0.7 });
  expect(selection.parents()).toEqual(['0']);
  selection.begin({ iteration: 2, newcomers: [newcomer('3')], parents: 1 });
  validate({ 3: 0.1, 0: 0.2, 1: 0.6, 2: 1 });
  // 2 was better on the last examples than 1 is on these, so it was tried too.
  expect(selection.parents()).toEqual(['2']);
  selection.begin({ iteration: 3, newcomers: [], parents: 1 });
  // 0 stands at 0.2 by now: below 2 and 1.
  expect(selection.offer()).toEqual(['2']);
});
