import type { ExperimentProgress } from '../../contracts/progress.js';
import type { ExperimentMetrics } from '../../contracts/results.js';
import type { AgentEvalTotals, RolloutEnding, RolloutPlace, RolloutTotals, UserFault } from './contracts.js';

/** The answer of the `progress` query of an evaluation; its units are rollouts. */
export interface AgentEvalProgress
  extends ExperimentProgress<'agent-eval', AgentEvalMetrics>,
    Pick<AgentEvalTotals, 'agent_turns' | 'tool_calls' | 'tool_calls_failed' | 'user_faults'> {
  /** Mean reward of the rollouts with a score; null where there is none. */
  mean_reward: number | null;
}

/** The answer of the `progress` query of a rollout. */
export interface RolloutProgress {
  row: string;
  rollout: number;
  place: RolloutPlace | null;
  totals: RolloutTotals;
  /** Whether a person is waited for. */
  waiting: boolean;
}

/** Tools or rewards of a bundle, or a price, were other ones when an evaluation was continued, or when it ended. */
interface CodeChange {
  /** ISO 8601: when that was noticed. */
  at: string;
  /** Rollouts that had been finished by then: with the earlier ones, or with both. */
  rollouts: number;
  /** Modules, from their bundle's folder on, and prices. */
  modules: string[];
}

/** A named metric of a reward, over the rollouts that have it, each alike. */
export interface RewardMetric {
  rollouts: number;
  mean: number;
  /** 95 %, from a bootstrap over rows; null where fewer than two of them have it. */
  interval: [number, number] | null;
}

/** The content of `metrics.json`. Rates leave out errors and spoiled rollouts, which are counted apart. */
export interface AgentEvalMetrics extends ExperimentMetrics<'agent-eval'> {
  agent_model: string;
  user_model: string | null;
  rows: number;
  rollouts_planned: number;
  rollouts: number;
  user_faults: Record<UserFault, number>;
  endings: Partial<Record<RolloutEnding, number>>;
  /** Over all rollouts with a reward, each alike. */
  mean_reward: number | null;
  /** 95 %, from a bootstrap over rows; null where fewer than two of them have a score. */
  mean_reward_interval: [number, number] | null;
  /** What the reward's named metrics come to, each over the rollouts that have it. */
  reward_metrics: Record<string, RewardMetric>;
  /**
   * Element k - 1: the chance that one of k rollouts, or that each of them, is a success; null where no row has k. Means
   * over the rows with at least k judged rollouts, each alike; how many those are.
   */
  pass_at_k: (number | null)[];
  pass_hat_k: (number | null)[];
  pass_rows: number[];
  /** What rows with different numbers of judged rollouts do to these; absent where all have the same. */
  pass_warning?: string;
  by_row: Record<string, { rollouts: number; mean_reward: number | null; successes: number }>;
  /** Where there are any, the rewards are not all of the same tools and reward. */
  code_changes: CodeChange[];
  agent_turns: number;
  tool_calls: number;
  tool_calls_failed: number;
}

export interface AgentEvalResult {
  artifacts: string;
  metrics: AgentEvalMetrics;
}
