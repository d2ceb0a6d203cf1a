import { affordableResamples, boundsOf, clusteredMean } from '../../statistics/clustered-bootstrap.js';
import { sumOf } from '../../statistics/sums.js';
import type { ScoreFigure, ScoreSums } from './contracts.js';

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

/** Computes each score over the samples that have it. @param rows the scores of every sample */
export function scoreFigures(
  rows: readonly Readonly<Record<string, number | boolean>>[],
): Record<string, ScoreFigure> {
  const values = new Map<string, (number | boolean)[]>();
  for (const scores of rows) {
    for (const [name, score] of Object.entries(scores)) {
      const of = values.get(name) ?? [];
      of.push(score);
      values.set(name, of);
    }
  }
  const figures = [...values].map(([name, of]): [string, ScoreFigure] => {
    const resamples = affordableResamples(of.length);
    const mean = clusteredMean(
      of.map((score) => [Number(score)]),
      { resamples },
    );
    const is_share = of.every((score) => typeof score === 'boolean');
    return [name, { samples: of.length, mean: mean?.estimate ?? 0, interval: boundsOf(mean), is_share }];
  });
  return Object.fromEntries(figures);
}
