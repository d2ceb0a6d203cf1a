import type { SelectionSettings } from '../evolution/selection.js';
import type { EvolveTotals, ScaffoldNode } from './evolve.js';
import type { Usage } from './language-model.js';
import type { CallFigures, ErrorCause, RunStatus } from './results.js';
import type { RunPhase } from './run.js';
import type { Beside, Repeats } from './step-cost.js';

/** The scorer, or a price, was another one when an experiment was continued, extended or forked, or when it ended. */
export interface CodeChange {
  /** ISO 8601: when that was noticed. */
  at: string;
  /** Iterations that had been finished by then: with the earlier version, or with both. */
  iterations: number;
  /** Modules, from the folder on of the file that the config names, and prices. */
  modules: string[];
}

/** The content of an evolution's `metrics.json`. */
export interface EvolveMetrics extends Beside, Repeats, CallFigures {
  name: string;
  experiment: string;
  kind: 'evolve';
  status: RunStatus;
  status_message: string | null;
  scaffolder_model: string;
  executor_model: string | null;
  /** True where a model is the simulated one: no benchmark figure. */
  simulated: boolean;
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
  /** What was wrong with scaffolds and executions that failed, by cause; absent where none did. */
  error_causes?: ErrorCause[];
  lm_calls: number;
  usage: Usage;
  cost_usd: number | null;
  /** Absent: the same all along. */
  code_changes?: CodeChange[];
  wall_seconds: number;
  started_at: string;
  ended_at: string;
}

/** The answer of the `progress` query of an evolution. */
export interface EvolveProgress {
  kind: 'evolve';
  experiment: string;
  phase: RunPhase;
  iteration: number;
  num_iterations: number;
  nodes: ScaffoldNode[];
  best: { id: string; score: number } | null;
  totals: EvolveTotals;
  /** Sentences such as `[Iteration 2] Evaluating scaffold 2-0: validation score 0.75`, the newest last, the newest 200. */
  lines: string[];
  /** How many lines there have been in all. */
  line_count: number;
  artifacts: string;
  message: string | null;
}

export interface EvolveResult {
  artifacts: string;
  metrics: EvolveMetrics;
}
