import { sumOf } from '../../statistics/sums.js';
import type { ScoreSums } from './contracts.js';

/** Adds the scores of one sample. */
export function addScores(
  sums: Readonly<ScoreSums>,
  scores: Readonly<Record<string, number | boolean>>,
): ScoreSums {
  const all = new Map(Object.entries(sums));
  for (const [name, score] of Object.entries(scores)) {
    const before = all.get(name) ?? { sum: 0, samples: 0, is_share: true };
    all.set(name, {
      sum: sumOf([before.sum, Number(score)]),
      samples: before.samples + 1,
      is_share: before.is_share && typeof score === 'boolean',
    });
  }
  return Object.fromEntries(all);
}
