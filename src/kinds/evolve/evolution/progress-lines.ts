import { countedText, scoreText } from '../../../statistics/figure-text.js';
import type { EvolvePlan, EvolveState } from '../contracts.js';
import type { EvolveMetrics } from '../results.js';
import { bestScaffold, type LineageNode } from './lineage.js';

/** Returns the line for people at the start of an iteration. */
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

/** Names an iteration in words. After the last one comes the closing validation, which evolves nothing. */
export function iterationText(
  iteration: number,
  { iterations, status }: Pick<EvolveMetrics, 'iterations' | 'status'>,
): string {
  if (iteration < iterations) return `iteration ${iteration}`;
  return status === 'done' ? 'the closing validation' : `iteration ${iteration}, which was not finished`;
}

/** Returns the line for people after an iteration; null where nothing was validated yet. */
export function bestSoFarLine(nodes: readonly LineageNode[]): string | null {
  const best = bestScaffold(nodes);
  return best === null
    ? null
    : `Best so far: scaffold ${best.id} with validation score ${scoreText(best.score)}`;
}

/** Returns the line for people at the end; null where there is no best scaffold. */
export function bestLine(best: EvolveMetrics['best']): string | null {
  if (best === null) return null;
  const test = best.test_score === null ? '' : `, test score ${scoreText(best.test_score)}`;
  return `Best scaffold: ${best.path}, validation score ${scoreText(best.score)}${test}`;
}
