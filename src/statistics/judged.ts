import type { AgentEvalMetrics } from '../contracts/agent-eval-results.js';
import type { EvolveMetrics } from '../contracts/evolve-results.js';
import type { JudgeMetrics } from '../contracts/judge.js';
import type { Metrics } from '../contracts/results.js';

/** The content of any experiment's `metrics.json`. */
export type AnyMetrics = Metrics | AgentEvalMetrics | JudgeMetrics | EvolveMetrics;

/** How much of an experiment came to a figure. */
export interface Judged {
  /** What is counted, as of one: `sample`, `rollout`, `step`, `scaffold`. */
  what: string;
  judged: number;
  /** What could not be judged. */
  errors: number;
  /** Those, and whatever else was gone through. */
  of: number;
}

/** What of an experiment could be judged, and what could not. */
export function judgedOf(metrics: AnyMetrics): Judged {
  switch (metrics.kind) {
    case 'run': {
      const { samples, errors } = metrics;
      return { what: 'sample', judged: samples - errors, errors, of: samples };
    }
    case 'agent-eval': {
      const { rollouts, errors, user_faults } = metrics;
      const spoiled = Object.values(user_faults).reduce((sum, count) => sum + count, 0);
      return { what: 'rollout', judged: rollouts, errors, of: rollouts + errors + spoiled };
    }
    case 'judge': {
      const { steps, errors } = metrics;
      return { what: 'step', judged: steps, errors, of: steps + errors };
    }
    case 'evolve': {
      const { best, executions, scaffolds, scaffolds_failed, scaffolds_unscored } = metrics;
      // Without any execution, nothing was to be validated: scaffolds were asked for, and made.
      const isJudged = best !== null || executions === 0;
      const judged = isJudged ? scaffolds - scaffolds_failed - scaffolds_unscored : 0;
      return { what: 'scaffold', judged, errors: scaffolds_unscored, of: scaffolds };
    }
  }
}

/** How many errors of each type there are, of what could not be judged. */
export function errorTypesOf(metrics: AnyMetrics): Readonly<Record<string, number>> {
  if (metrics.kind === 'evolve') return {};
  return metrics.kind === 'run' ? metrics.error_types : metrics.errors_by_type;
}
