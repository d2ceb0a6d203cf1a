import type { Unrecorded } from '../../contracts/step-cost.js';
import type { CallTally } from '../../statistics/call-figures.js';
import { ClusterSums } from '../../statistics/cluster-sums.js';
import { affordableResamples, boundsOf, clusteredMean } from '../../statistics/clustered-bootstrap.js';
import { ErrorTally } from '../../statistics/error-tally.js';
import { groupBy } from '../../statistics/group-by.js';
import { fieldText, GroupSums } from '../../statistics/groups.js';
import { passWarning } from '../../statistics/pass-at-k.js';
import { isSuccess, rewardStatistics } from '../../statistics/reward-statistics.js';
import { Sum } from '../../statistics/sums.js';
import { uncertaintyOf } from '../../statistics/uncertainty.js';
import type { RolloutEnding, RolloutRow, UserFault } from './contracts.js';
import { ROLLOUTS_OF_ROWS } from './facts.js';
import type { AgentEvalMetrics, RewardMetric, RolloutGroup } from './results.js';

/** Metrics that are not computed from rollouts, and settings for those that are. */
export type AgentEvalFacts = Pick<
  AgentEvalMetrics,
  | 'name'
  | 'experiment'
  | 'status'
  | 'status_message'
  | 'agent_model'
  | 'user_model'
  | 'simulated'
  | 'code_changes'
  | 'wall_seconds'
  | 'started_at'
  | 'ended_at'
> & {
  /** Number of planned rollouts, by row. */
  planned: readonly { row: string; n_rollouts: number }[];
  success_reward: number;
  seed: number;
  /** Fields of the metadata whose values are groups with figures of their own. */
  by?: readonly string[];
  /** Field of the metadata whose values are the clusters of standard errors; null: the rows. */
  cluster?: string | null;
};

function counts<Key extends string>(keys: readonly Key[]): Partial<Record<Key, number>> {
  const counted: Partial<Record<Key, number>> = {};
  for (const key of keys) counted[key] = (counted[key] ?? 0) + 1;
  return counted;
}

const sum = (rows: readonly RolloutRow[], figure: 'agent_turns' | 'tool_calls' | 'tool_calls_failed') =>
  rows.reduce((total, row) => total + row[figure], 0);

function byRow(
  rows: readonly RolloutRow[],
  { planned, success_reward }: Pick<AgentEvalFacts, 'planned' | 'success_reward'>,
): AgentEvalMetrics['by_row'] {
  const rewards = groupBy(rows, ({ task_id }) => task_id);
  const figures = planned.map(({ row }) => {
    const judged = (rewards.get(row) ?? []).flatMap(({ reward }) => reward ?? []);
    const successes = judged.filter((reward) => isSuccess(reward, success_reward)).length;
    return [row, { rollouts: judged.length, mean_reward: new Sum(judged).mean, successes }] as const;
  });
  return Object.fromEntries(figures);
}

/** Computes the figures of each named metric of the reward, sorted by name. */
function rewardMetrics(
  rows: readonly RolloutRow[],
  seed: number,
  clusterOf: (row: RolloutRow) => string,
): Record<string, RewardMetric> {
  const scores = rows.flatMap((row) => {
    const cluster = clusterOf(row);
    const named = Object.entries(row.metrics).map(([name, { score }]) => ({ name, cluster, score }));
    return row.reward === null ? [] : named;
  });
  const names = [...groupBy(scores, ({ name }) => name)].sort(([left], [right]) => (left < right ? -1 : 1));
  const resamples = affordableResamples(scores.length);
  const figures = names.map(([name, named]) => {
    const byCluster = [...groupBy(named, ({ cluster }) => cluster).values()];
    const groups = byCluster.map((cluster) => cluster.map(({ score }) => score));
    const mean = clusteredMean(groups, { seed, resamples });
    const { estimate = 0, stderr = null } = mean ?? {};
    return [name, { rollouts: named.length, mean: estimate, stderr, interval: boundsOf(mean) }] as const;
  });
  return Object.fromEntries(figures);
}

/** Sums the rewards of rollouts by cluster. */
function rewardsOf(rows: readonly RolloutRow[], clusterOf: (row: RolloutRow) => string): ClusterSums {
  const sums = new ClusterSums();
  for (const row of rows) if (row.reward !== null) sums.add(clusterOf(row), row.reward);
  return sums;
}

/** Lists the fields that no row has, and what the server of the agent did not parse. */
function figureWarnings(
  rows: readonly RolloutRow[],
  { by, cluster }: { by: readonly string[]; cluster: string | null },
): string[] {
  if (rows.length === 0) return [];
  const isMissing = (field: string) => rows.every(({ metadata }) => fieldText(field, [metadata]) === null);
  const asText = rows.filter(({ tool_calls_as_text = 0 }) => tool_calls_as_text > 0);
  const replies = asText.reduce((total, { tool_calls_as_text = 0 }) => total + tool_calls_as_text, 0);
  return [
    ...(replies === 0
      ? []
      : [
          `models.agent: replies hold a tool call as text, which was not made (${replies}, in ${asText.length} of ${rows.length} rollouts); start the server with the parser of tool calls that the model needs.`,
        ]),
    ...by.filter(isMissing).map((field) => `metrics.by: no row has ${field} in its metadata.`),
    ...(cluster === null
      ? []
      : [`metrics.cluster: no row has ${cluster} in its metadata, so each row is a cluster of its own.`]),
  ];
}

/** Computes the figures of the rollouts by the values of each field that some row has. */
function groupFigures(
  rows: readonly RolloutRow[],
  of: Required<Pick<AgentEvalFacts, 'by' | 'success_reward' | 'seed'>> & {
    clusterOf: (row: RolloutRow) => string;
  },
): Pick<AgentEvalMetrics, 'by'> {
  const resamples = affordableResamples(rows.length);
  const fields = of.by.flatMap((field) => {
    const groups = new GroupSums<RolloutRow[]>(() => []);
    for (const row of rows) groups.of(fieldText(field, [row.metadata])).push(row);
    if (!groups.hasValues) return [];
    const figures = groups.inOrder().map(([name, group]) => {
      const mean = rewardsOf(group, of.clusterOf).interval({ seed: of.seed, resamples });
      const rewards = group.flatMap(({ reward }) => reward ?? []);
      const found: RolloutGroup = {
        rows: new Set(group.map(({ task_id }) => task_id)).size,
        rollouts: rewards.length,
        errors: group.filter(({ status }) => status === 'error').length,
        successes: rewards.filter((reward) => isSuccess(reward, of.success_reward)).length,
        mean_reward: mean?.estimate ?? null,
        ...uncertaintyOf('mean_reward', mean),
      };
      return [name, found] as const;
    });
    return [[field, Object.fromEntries(figures)] as const];
  });
  return fields.length === 0 ? {} : { by: Object.fromEntries(fields) };
}

/**
 * Computes the metrics of an evaluation from the rows of its rollouts. Errors and rollouts that a faulty user spoiled
 * are counted, but are in no rate and no mean.
 */
export function agentEvalMetrics(
  facts: AgentEvalFacts,
  rows: readonly RolloutRow[],
  { tally: calls, unrecorded }: { tally: CallTally; unrecorded: Unrecorded | null },
): AgentEvalMetrics {
  const { planned, success_reward, seed, by = [], cluster = null, ...known } = facts;
  const statistics = rewardStatistics(rows, { successReward: success_reward, seed });
  const { pass } = statistics;
  const clusterOf = ({ task_id, metadata }: RolloutRow) => {
    const value = cluster === null ? null : fieldText(cluster, [metadata]);
    return value === null ? `row ${task_id}` : `cluster ${value}`;
  };
  const isClustered = rows.some((row) => clusterOf(row).startsWith('cluster'));
  const mean = isClustered ? rewardsOf(rows, clusterOf).interval({ seed }) : statistics.mean_reward;
  const warnings = figureWarnings(rows, { by, cluster: isClustered ? null : cluster });
  const most = planned.reduce((largest, { n_rollouts }) => Math.max(largest, n_rollouts), 0);
  const forEachK = (figure: 'pass_at_k' | 'pass_hat_k') =>
    Array.from({ length: most }, (_, index) => pass[index]?.[figure] ?? null);
  const by_row = byRow(rows, facts);
  const judgedRows = Object.values(by_row).flatMap(({ rollouts }) => (rollouts === 0 ? [] : [rollouts]));
  const warning = passWarning(judgedRows, ROLLOUTS_OF_ROWS);
  const tally = new ErrorTally();
  for (const { status, error } of rows) {
    if (status === 'error') tally.add(error ?? { type: 'Error', message: '' });
  }
  for (const { cut_off } of rows) calls.addCutOff(cut_off);
  const faults = rows.flatMap(({ user_fault }) => user_fault ?? []);
  const endings = rows.flatMap(({ ending }): RolloutEnding[] => (ending === null ? [] : [ending]));
  const userFaults: Record<UserFault, number> = { empty: 0, role_swap: 0, early_stop: 0, cut_off: 0 };
  return {
    ...known,
    kind: 'agent-eval',
    rows: planned.length,
    rollouts_planned: planned.reduce((total, { n_rollouts }) => total + n_rollouts, 0),
    rollouts: statistics.trials,
    errors: tally.total,
    errors_by_type: tally.counts(),
    ...tally.causes(),
    user_faults: { ...userFaults, ...counts(faults) },
    endings: counts(endings),
    mean_reward: mean?.estimate ?? null,
    ...uncertaintyOf('mean_reward', mean),
    reward_metrics: rewardMetrics(rows, seed, clusterOf),
    pass_at_k: forEachK('pass_at_k'),
    pass_hat_k: forEachK('pass_hat_k'),
    pass_rows: Array.from({ length: most }, (_, index) => pass[index]?.tasks ?? 0),
    ...(warning === null ? {} : { pass_warning: warning }),
    ...(isClustered ? { clustered_by: cluster as string } : {}),
    ...groupFigures(rows, { by, clusterOf, success_reward, seed }),
    ...(warnings.length === 0 ? {} : { figure_warnings: warnings }),
    by_row,
    agent_turns: sum(rows, 'agent_turns'),
    tool_calls: sum(rows, 'tool_calls'),
    tool_calls_failed: sum(rows, 'tool_calls_failed'),
    ...calls.figures(unrecorded),
  };
}
