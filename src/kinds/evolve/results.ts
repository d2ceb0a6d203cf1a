import type { ExperimentProgress, ToldProgress } from '../../contracts/progress.js';
import type { ExperimentMetrics } from '../../contracts/results.js';
import type { EvolveTotals, ScaffoldNode } from './contracts.js';
import type { SelectionSettings } from './evolution/selection.js';

/** The scorer, or a price, was another one when an experiment was continued, extended or forked, or when it ended. */
export interface CodeChange {
  /** ISO 8601: when that was noticed. */
  at: string;
  /** Iterations that had been finished by then: with the earlier version, or with both. */
  iterations: number;
  /** Modules, from the folder on of the file that the config names, and prices. */
  modules: string[];
}

/**
 * The content of an evolution's `metrics.json`. Its errors are scaffolds that were given up without a score; `error_causes`
 * also has what was wrong with scaffolds and executions that failed.
 */
export interface EvolveMetrics extends ExperimentMetrics<'evolve'> {
  scaffolder_model: string;
  executor_model: string | null;
  domain: string;
  selection: SelectionSettings['kind'];
  seed: number;
  num_iterations: number;
  /** Iterations that are finished, iteration 0 included. */
  iterations: number;
  /** Chosen on validation scores alone; `path` is that of its scaffold.py within the experiment's folder. */
  best: {
    id: string;
    iteration: number;
    score: number;
    path: string;
    test_score: number | null;
    /** Means of what the scorer measured beside the score, over the same runs; absent where it measures nothing. */
    metrics?: Record<string, number>;
  } | null;
  /** Element n: the best validation score of iteration n; null where nothing was validated. */
  best_by_iteration: (number | null)[];
  scaffolds: number;
  scaffolds_failed: number;
  scaffolds_unscored: number;
  scaffolds_duplicate: number;
  executions: number;
  executions_failed: number;
  /** Absent: the same all along. */
  code_changes?: CodeChange[];
}

/**
 * The answer of the `progress` query of an evolution; its units are iterations, the first one and number 0 included. It
 * tells sentences such as `[Iteration 2] Evaluating scaffold 2-0: validation score 0.75`.
 */
export interface EvolveProgress
  extends ExperimentProgress<'evolve', EvolveMetrics>,
    Partial<ToldProgress>,
    Pick<EvolveTotals, 'executions' | 'executions_failed'> {
  /** Absent where only the metrics are known, as the lines are. */
  nodes?: ScaffoldNode[];
  best: { id: string; score: number } | null;
}

export interface EvolveResult {
  artifacts: string;
  metrics: EvolveMetrics;
}
