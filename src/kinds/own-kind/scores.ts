import { addStep, noStepCost } from '../../runtime/step-cost.js';
import { addErrors } from '../../statistics/error-tally.js';
import { sumOf } from '../../statistics/sums.js';
import type { OwnKindTotals, ScoreSums } from './contracts.js';

export function noOwnKindTotals(): OwnKindTotals {
  return { ...noStepCost(), ended: 0, errors: 0, scores: {} };
}

/** Adds the totals of other samples. */
export function addOwnKindTotals(left: OwnKindTotals, right: OwnKindTotals): OwnKindTotals {
  return {
    ...addStep(left, right),
    ended: left.ended + right.ended,
    ...addErrors(left, right),
    scores: addSums(left.scores, right.scores),
  };
}

/** Adds the scores of other samples. */
function addSums(left: Readonly<ScoreSums>, right: Readonly<ScoreSums>): ScoreSums {
  const all = new Map(Object.entries(left));
  for (const [name, more] of Object.entries(right)) {
    const before = all.get(name) ?? { sum: 0, samples: 0, is_share: true };
    all.set(name, {
      sum: sumOf([before.sum, more.sum]),
      samples: before.samples + more.samples,
      is_share: before.is_share && more.is_share,
    });
  }
  return Object.fromEntries(all);
}

/** Adds the scores of one sample. */
export function addSampleScores(
  sums: Readonly<ScoreSums>,
  scores: Readonly<Record<string, number | boolean>>,
): ScoreSums {
  const one = Object.entries(scores).map(([name, score]) => [
    name,
    { sum: Number(score), samples: 1, is_share: typeof score === 'boolean' },
  ]);
  return addSums(sums, Object.fromEntries(one));
}
