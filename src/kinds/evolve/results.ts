import type { ExperimentProgress, ProgressLines } from '../../contracts/progress.js';
import type { ExperimentMetrics } from '../../contracts/results.js';
import type { EvolveTotals, ScaffoldNode } from './contracts.js';
import type { SelectionSettings } from './evolution/selection.js';

/**
 * Change of the scorer, or of a price, found when an experiment was continued, extended or forked, or when it ended.
 */
export interface EvolveCodeChange {
  /** ISO 8601: when it was found. */
  at: string;
  /** Iterations that were finished by then: with the earlier version, or with both. */
  iterations: number;
  /** Modules, by their paths from the folder of the file that the config names, and prices. */
  modules: string[];
}

/**
 * Content of an evolution's `metrics.json`. Its errors are scaffolds that were given up without a score; `error_causes`
 * also has the faults of scaffolds and executions that failed.
 */
export interface EvolveMetrics extends ExperimentMetrics<'evolve'> {
  scaffolder_model: string;
  executor_model: string | null;
  domain: string;
  selection: SelectionSettings['kind'];
  seed: number;
  num_iterations: number;
  /** Finished iterations, including iteration 0. */
  iterations: number;
  /** Best scaffold by validation scores alone; `path` is that of its scaffold.py within the experiment's folder. */
  best: {
    id: string;
    iteration: number;
    score: number;
    path: string;
    test_score: number | null;
    /** Means of the scorer's metrics over the same runs; absent where there are none. */
    metrics?: Record<string, number>;
    /** Of how many of the runs; absent if of all. A run that failed has none. */
    metrics_of?: { runs: number; of: number };
  } | null;
  /** Best validation score of each iteration, by its number; null where nothing was validated. */
  best_by_iteration: (number | null)[];
  scaffolds: number;
  scaffolds_failed: number;
  scaffolds_unscored: number;
  scaffolds_duplicate: number;
  executions: number;
  executions_failed: number;
  /** Absent: there were none. */
  code_changes?: EvolveCodeChange[];
}

/**
 * Answer of the `progress` query of an evolution; its units are iterations, including number 0. Its lines are sentences
 * such as `[Iteration 2] Evaluating scaffold 2-0: validation score 0.75`.
 */
export interface EvolveProgress
  extends ExperimentProgress<'evolve', EvolveMetrics>,
    Partial<ProgressLines>,
    Pick<EvolveTotals, 'executions' | 'executions_failed'> {
  /** Absent where only the metrics are known, as the lines are. */
  nodes?: ScaffoldNode[];
  best: { id: string; score: number } | null;
}

export interface EvolveResult {
  artifacts: string;
  metrics: EvolveMetrics;
}
