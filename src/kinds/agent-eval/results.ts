import type { ExperimentProgress } from '../../contracts/progress.js';
import type { ExperimentMetrics } from '../../contracts/results.js';
import type { Uncertainty } from '../../statistics/uncertainty.js';
import type { AgentEvalTotals, RolloutEnding, RolloutPlace, RolloutTotals, UserFault } from './contracts.js';

/** Result of the `progress` query of an evaluation; its units are rollouts. */
export interface AgentEvalProgress
  extends ExperimentProgress<'agent-eval', AgentEvalMetrics>,
    Pick<AgentEvalTotals, 'agent_turns' | 'tool_calls' | 'tool_calls_failed' | 'user_faults'> {
  /** Mean reward of the rollouts with a score; null if there is none. */
  mean_reward: number | null;
  /** Sentences for people on how it runs. */
  means?: readonly string[];
}

/** Result of the `progress` query of a rollout. */
export interface RolloutProgress {
  row: string;
  rollout: number;
  place: RolloutPlace | null;
  totals: RolloutTotals;
  /** True if the rollout waits for a person. */
  waiting: boolean;
}

/** Change of a bundle's tools or rewards, or of a price, found when an evaluation was continued or ended. */
interface CodeChange {
  /** Time at which it was found, ISO 8601. */
  at: string;
  /** Number of rollouts finished by then, with the earlier version or with both. */
  rollouts: number;
  /** Changed modules, with paths from their bundle's folder on, and changed prices. */
  modules: string[];
}

/** A named metric of a reward, over the rollouts that have it, equally weighted. */
export interface RewardMetric {
  rollouts: number;
  mean: number;
  /** Standard error, and 95 % interval from a bootstrap over rows; null if fewer than two of them have the metric. */
  stderr: number | null;
  interval: [number, number] | null;
}

/** Figures of the rows with a value of a field. */
export interface RolloutGroup extends Uncertainty<'mean_reward'> {
  rows: number;
  /** Rollouts with a reward, and those that an error ended. */
  rollouts: number;
  errors: number;
  successes: number;
  mean_reward: number | null;
}

/** Content of `metrics.json`. Rates exclude errors and spoiled rollouts, which are counted separately. */
export interface AgentEvalMetrics extends ExperimentMetrics<'agent-eval'>, Uncertainty<'mean_reward'> {
  agent_model: string;
  user_model: string | null;
  rows: number;
  rollouts_planned: number;
  rollouts: number;
  user_faults: Record<UserFault, number>;
  endings: Partial<Record<RolloutEnding, number>>;
  /** Mean over all rollouts with a reward, equally weighted; the clusters of its uncertainty are the rows. */
  mean_reward: number | null;
  /** Figures of the reward's named metrics, each over the rollouts that have it. */
  reward_metrics: Record<string, RewardMetric>;
  /**
   * Element k - 1 is the probability that at least one of k rollouts, or each of them, is a success; null if no row has
   * k. Means over the rows with at least k judged rollouts, equally weighted; `pass_rows` counts these rows.
   */
  pass_at_k: (number | null)[];
  pass_hat_k: (number | null)[];
  pass_rows: number[];
  /** Warning that rows with different numbers of judged rollouts distort these; absent if all have the same number. */
  pass_warning?: string;
  /** Field of the rows' metadata whose values are the clusters of all standard errors; absent: rows are. */
  clustered_by?: string;
  /** Figures by field (`metrics.by`) and value; absent without fields. */
  by?: Record<string, Record<string, RolloutGroup>>;
  /** Sentences on figures that could not be computed as configured; absent if there are none. */
  figure_warnings?: string[];
  by_row: Record<string, { rollouts: number; mean_reward: number | null; successes: number }>;
  /** Changes of code and prices; if there are any, not all rewards are of the same tools and reward. */
  code_changes: CodeChange[];
  agent_turns: number;
  tool_calls: number;
  tool_calls_failed: number;
}

export interface AgentEvalResult {
  artifacts: string;
  metrics: AgentEvalMetrics;
}
