import { countedText, scoreText } from '../../../statistics/figure-text.js';
import type { EvolvePlan, EvolveState } from '../contracts.js';
import type { EvolveMetrics } from '../results.js';
import { bestScaffold, type LineageNode } from './lineage.js';

/** What people are told when an iteration begins. */
export function beginningLine(
  { scaffolds_per_iter, initial_scaffolds, num_iterations, final_validation }: BegunPlan,
  { next_iteration: number, newcomers }: Pick<EvolveState, 'next_iteration' | 'newcomers'>,
  closing: boolean,
): string {
  const due = countedText(newcomers.length, 'new scaffold');
  if (closing)
    return `[Closing] begins${final_validation && newcomers.length > 0 ? `: ${due} to validate` : ''}`;
  const what =
    number === 0
      ? `${countedText(initial_scaffolds, 'scaffold')} to write`
      : `${due} to validate, ${scaffolds_per_iter} to evolve`;
  return `[Iteration ${number}] begins, of ${num_iterations}: ${what}`;
}

type BegunPlan = Pick<
  EvolvePlan,
  'scaffolds_per_iter' | 'initial_scaffolds' | 'num_iterations' | 'final_validation'
>;

/** An iteration in words. What comes after the last one validates its scaffolds and evolves nothing. */
export function iterationText(
  iteration: number,
  { iterations, status }: Pick<EvolveMetrics, 'iterations' | 'status'>,
): string {
  if (iteration < iterations) return `iteration ${iteration}`;
  return status === 'done' ? 'the closing validation' : `iteration ${iteration}, which was not finished`;
}

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
