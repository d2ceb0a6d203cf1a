import type { EvolveMetrics } from '../contracts/evolve-results.js';
import { scoreText } from '../statistics/figure-text.js';
import { bestScaffold, type LineageNode } from './lineage.js';

/** What people are told after an iteration; null where nothing was validated so far. */
export function bestSoFarLine(nodes: readonly LineageNode[]): string | null {
  const best = bestScaffold(nodes);
  return best === null
    ? null
    : `Best so far: scaffold ${best.id} with validation score ${scoreText(best.score)}`;
}

/** What people are told in the end; null where there is none. */
export function bestLine(best: EvolveMetrics['best']): string | null {
  if (best === null) return null;
  const test = best.test_score === null ? '' : `, test score ${scoreText(best.test_score)}`;
  return `Best scaffold: ${best.path}, validation score ${scoreText(best.score)}${test}`;
}
