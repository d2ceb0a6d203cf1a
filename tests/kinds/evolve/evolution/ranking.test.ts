import { describe, expect, test } from 'vitest';
import { compareScaffoldIds } from '../../../../src/kinds/evolve/evolution/ids.js';
import {
  offerValidations,
  type RankedScaffold,
  type RankingState,
  rankedIds,
  recordScore,
  startRanking,
  topScaffolds,
  widenRanking,
} from '../../../../src/kinds/evolve/evolution/ranking.js';
import { createRandom, type Random, shuffled } from '../../../../src/statistics/random.js';
import { below, pick, throughJson } from './support.js';

type Scores = Record<string, number>;

/** The specification's procedure, one validation at a time and word for word. */
function oneAtATime(wanted: number, scaffolds: readonly RankedScaffold[], truth: Scores) {
  const validated: string[] = [];
  const list = () => {
    const score = ({ id, recent }: RankedScaffold) =>
      validated.includes(id) ? (truth[id] as number) : (recent ?? 1e9);
    return [...scaffolds].sort(
      (one, other) =>
        score(other) - score(one) ||
        Number(validated.includes(other.id)) - Number(validated.includes(one.id)) ||
        compareScaffoldIds(one.id, other.id),
    );
  };
  for (;;) {
    const top = list().slice(0, wanted);
    if (top.every(({ id }) => validated.includes(id))) return { validated, top: top.map(({ id }) => id) };
    const next = list().find(({ id }) => !validated.includes(id)) as RankedScaffold;
    validated.push(next.id);
  }
}

/** Validates what is offered, at most `lanes` at a time, each ending whenever chance has it. */
function inParallel(start: RankingState, truth: Scores, lanes: number, random: Random) {
  let state = start;
  const waiting: string[] = [];
  const running: string[] = [];
  let most = 0;
  for (;;) {
    const offer = offerValidations(throughJson(state));
    state = offer.state;
    waiting.push(...offer.validate);
    // Even the order in which offers are taken up makes no difference.
    while (running.length < lanes && waiting.length > 0)
      running.push(waiting.splice(below(waiting.length, random), 1)[0] as string);
    most = Math.max(most, running.length);
    if (running.length === 0) return { state, most };
    expect(topScaffolds(state)).toBeNull();
    const [ended] = running.splice(below(running.length, random), 1) as [string];
    state = recordScore(state, ended, truth[ended] as number);
  }
}

function randomCase(random: Random) {
  const count = 1 + below(10, random);
  // Few values, so that ties are common.
  const values = pick(
    [[0], [0, 1], [0, 0.25, 0.5, 0.75, 1], Array.from({ length: 20 }, () => random())],
    random,
  );
  const newShare = pick([0, 0.3, 1], random);
  const ids = shuffled(['0', '1', '2', '3', '0-0', '0-1', '2-0', '2-0-0', '10', '3-0'], random).slice(
    0,
    count,
  );
  const scaffolds = ids.map((id) => ({ id, recent: random() < newShare ? null : pick(values, random) }));
  const truth = Object.fromEntries(ids.map((id) => [id, pick(values, random)]));
  return { wanted: 1 + below(6, random), scaffolds, truth };
}

describe('the top K', () => {
  test('are those of the one-at-a-time procedure, with the same validations, under every schedule', () => {
    const random = createRandom('ranking');
    let parallel = 0;
    let spared = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const { wanted, scaffolds, truth } = randomCase(random);
      const expected = oneAtATime(wanted, scaffolds, truth);
      const { state, most } = inParallel(
        startRanking(wanted, scaffolds),
        truth,
        1 + below(8, random),
        random,
      );
      expect(Object.keys(state.scores).sort(), JSON.stringify({ wanted, scaffolds, truth })).toEqual(
        [...expected.validated].sort(),
      );
      expect(topScaffolds(state)).toEqual(expected.top);
      if (most > 1) parallel += 1;
      if (expected.validated.length < scaffolds.length) spared += 1;
    }
    // Or the property would hold for want of cases.
    expect(parallel).toBeGreaterThan(1_000);
    expect(spared).toBeGreaterThan(500);
  });

  test('of a larger K are the same whether it was asked for at once or later', () => {
    const random = createRandom('widening');
    for (let round = 0; round < 1_000; round += 1) {
      const { wanted, scaffolds, truth } = randomCase(random);
      const more = wanted + 1 + below(3, random);
      const first = inParallel(startRanking(wanted, scaffolds), truth, 4, random).state;
      const { state } = inParallel(widenRanking(first, more), truth, 4, random);
      const expected = oneAtATime(more, scaffolds, truth);
      expect(Object.keys(state.scores).sort()).toEqual([...expected.validated].sort());
      expect(topScaffolds(state)).toEqual(expected.top);
    }
  });

  test('leave historical scaffolds alone where the new ones are better', () => {
    const scaffolds = [
      { id: '0', recent: 0.5 },
      { id: '1', recent: 0.4 },
      { id: '0-0', recent: null },
      { id: '1-0', recent: null },
    ];
    const first = offerValidations(startRanking(2, scaffolds));
    expect(first.validate).toEqual(['0-0', '1-0']);
    const state = recordScore(recordScore(first.state, '1-0', 0.9), '0-0', 0.6);
    expect(offerValidations(state).validate).toEqual([]);
    expect(topScaffolds(state)).toEqual(['1-0', '0-0']);
  });

  test('come from as few validations as the scores allow, when new ones disappoint', () => {
    const scaffolds = [
      { id: '0', recent: 0.9 },
      { id: '1', recent: 0.8 },
      { id: '2', recent: 0.1 },
      { id: '3', recent: null },
    ];
    let { state, validate } = offerValidations(startRanking(1, scaffolds));
    expect(validate).toEqual(['3']);
    ({ state, validate } = offerValidations(recordScore(state, '3', 0.2)));
    expect(validate).toEqual(['0']);
    // 0 did worse than before, so 1 has to show what it can; 2 never has to.
    ({ state, validate } = offerValidations(recordScore(state, '0', 0.3)));
    expect(validate).toEqual(['1']);
    ({ state, validate } = offerValidations(recordScore(state, '1', 0.25)));
    expect(validate).toEqual([]);
    expect(topScaffolds(state)).toEqual(['0']);
    expect(rankedIds(state)).toEqual(['0', '1', '3', '2']);
  });

  test('wait for a validation that was offered, even where it can no longer matter', () => {
    const scaffolds = [
      { id: '0', recent: 0.5 },
      { id: '1', recent: 0.4 },
    ];
    const { state, validate } = offerValidations(startRanking(2, scaffolds));
    expect(validate).toEqual(['0', '1']);
    const narrower = { ...recordScore(state, '0', 1), wanted: 1 };
    expect(topScaffolds(narrower)).toBeNull();
    expect(topScaffolds(recordScore(narrower, '1', 0))).toEqual(['0']);
  });

  test('of equal scores are first those validated in this iteration, then by id', () => {
    const scaffolds = [
      { id: '10', recent: null },
      { id: '2-0', recent: null },
      { id: '2', recent: 0.5 },
    ];
    let { state } = offerValidations(startRanking(2, scaffolds));
    state = recordScore(recordScore(state, '10', 0.5), '2-0', 0.5);
    expect(topScaffolds(state)).toEqual(['2-0', '10']);
    expect(rankedIds(state)).toEqual(['2-0', '10', '2']);
  });

  test('are all scaffolds where there are no more', () => {
    expect(topScaffolds(startRanking(3, []))).toEqual([]);
    const { state, validate } = offerValidations(startRanking(3, [{ id: '0', recent: 0.1 }]));
    expect(validate).toEqual(['0']);
    expect(topScaffolds(recordScore(state, '0', 0))).toEqual(['0']);
  });
});

describe('a ranking refuses', () => {
  const { state } = offerValidations(startRanking(1, [{ id: '0', recent: null }]));

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('the score %d', (score) => {
    expect(() => recordScore(state, '0', score)).toThrow(RangeError);
    expect(() => startRanking(1, [{ id: '0', recent: score }])).toThrow(RangeError);
  });

  test('a score that nobody asked for, or a second one', () => {
    expect(() => recordScore(startRanking(1, [{ id: '0', recent: null }]), '0', 1)).toThrow('not asked for');
    expect(() => recordScore(state, '1', 1)).toThrow('not asked for');
    expect(() => recordScore(recordScore(state, '0', 1), '0', 1)).toThrow('already');
  });

  test('a scaffold that stands twice, and a K below 1', () => {
    const twice = { id: '0', recent: 0 };
    expect(() => startRanking(1, [twice, { ...twice }])).toThrow('twice');
    for (const wanted of [0, -1, 1.5, Number.NaN]) expect(() => startRanking(wanted, [])).toThrow(RangeError);
  });
});
