import type {
  AgentEvalMetrics,
  AgentEvalProgress,
  AgentEvalResult,
} from '../contracts/agent-eval-results.js';
import { scoreOrDash } from '../evolution/scores.js';
import { countedText, scoreText } from '../statistics/figure-text.js';
import { ROLLOUTS_OF_ROWS, weightsText } from '../statistics/pass-at-k.js';
import {
  artifactLines,
  changedRows,
  costSoFarText,
  dollars,
  errorReport,
  headedTable,
  percent,
  shownAddress,
  spendingRows,
  stateParts,
  stateText,
  statusText,
} from './format.js';

/** What was counted under each name, as `2 empty, 1 role swap`; nothing where nothing was. */
function counts(counted: Readonly<Record<string, number>>): string {
  return Object.entries(counted)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');
}

function withCounts(total: number, counted: Readonly<Record<string, number>>): string {
  return total === 0 ? '0' : `${total} (${counts(counted)}), not counted as failures`;
}

/** Where an evaluation stands, in a line. */
export function agentEvalSummary(progress: AgentEvalProgress): string {
  const { rollouts_planned, ended, running, mean_reward, totals } = progress;
  const { errors, user_faults, cost_usd } = totals;
  const parts = [
    `${ended} of ${rollouts_planned} rollouts, ${running} running`,
    `mean reward ${scoreOrDash(mean_reward)}`,
  ];
  if (errors > 0) parts.push(countedText(errors, 'error'));
  if (user_faults > 0) parts.push(`${user_faults} spoiled by the user`);
  if (cost_usd !== 0) parts.push(costSoFarText(cost_usd));
  return [...parts, ...stateParts(progress)].join(' · ');
}

/** The figures of an evaluation in progress, as a table of one row, and its state. */
export function agentEvalFigures(progress: AgentEvalProgress): string {
  const { rollouts_planned, ended, running, mean_reward, totals } = progress;
  const head = ['ended', 'running', 'mean reward', 'errors', 'spoiled by the user', 'tool calls', 'cost'];
  const row = [
    `${ended} of ${rollouts_planned}`,
    String(running),
    scoreOrDash(mean_reward),
    String(totals.errors),
    String(totals.user_faults),
    `${totals.tool_calls}, ${totals.tool_calls_failed} failed`,
    totals.cost_usd === null ? 'unknown' : dollars(totals.cost_usd),
  ];
  return `${headedTable(head, [row])}\n${stateText(progress)}`;
}

function meanText(mean: number | null, interval: [number, number] | null): string {
  if (mean === null) return '–';
  if (interval === null) return `${scoreText(mean)}, no interval`;
  const [lower, upper] = interval.map(scoreText);
  return `${scoreText(mean)}, 95 % interval ${lower} to ${upper}`;
}

function passTable({ pass_at_k, pass_hat_k, pass_rows, pass_warning }: AgentEvalMetrics): string {
  const rows = pass_at_k.map((share, index) => [
    String(index + 1),
    percent(share),
    percent(pass_hat_k[index] ?? null),
    String(pass_rows[index] ?? 0),
  ]);
  return [
    headedTable(['k', 'pass@k', 'pass^k', 'rows'], rows),
    weightsText(ROLLOUTS_OF_ROWS),
    ...(pass_warning === undefined ? [] : [`Warning: ${pass_warning}.`]),
  ].join('\n');
}

/** What a terminal shows; all are in `metrics.json`. */
const MOST_METRICS = 50;

function metricTable({ reward_metrics }: AgentEvalMetrics): string {
  const all = Object.entries(reward_metrics);
  const rows = all
    .slice(0, MOST_METRICS)
    .map(([name, { rollouts, mean, interval }]) => [name, String(rollouts), meanText(mean, interval)]);
  const others = all.length - rows.length;
  return [
    headedTable(['metric of the reward', 'rollouts', 'mean'], rows),
    ...(others === 0 ? [] : [`… and ${others} more in metrics.json`]),
  ].join('\n');
}

function rowTable({ by_row }: AgentEvalMetrics): string {
  const rows = Object.entries(by_row).map(([row, { rollouts, mean_reward, successes }]) => [
    row,
    String(rollouts),
    String(successes),
    scoreOrDash(mean_reward),
  ]);
  return headedTable(['row', 'rollouts', 'successes', 'mean reward'], rows);
}

/** The result of an evaluation, as people read it. The numbers are those of `metrics.json`. */
export function agentEvalTable(metrics: AgentEvalMetrics): string {
  const { rollouts, rollouts_planned } = metrics;
  const spoiled = Object.values(metrics.user_faults).reduce((sum, count) => sum + count, 0);
  const ofPlanned = rollouts === rollouts_planned ? '' : ` of ${rollouts_planned}`;
  const rows = [
    ['status', statusText(metrics)],
    ['agent', metrics.agent_model + (metrics.simulated ? ' (a simulation: no benchmark figure)' : '')],
    ['user', metrics.user_model ?? 'none'],
    ['rollouts', `${rollouts}${ofPlanned} with a reward, of ${metrics.rows} rows`],
    ['mean reward', meanText(metrics.mean_reward, metrics.mean_reward_interval)],
    ...changedRows(metrics.code_changes, 'rollouts'),
    ['errors', metrics.errors === 0 ? '0' : `${metrics.errors}, not counted as failures`],
    ['spoiled by the user', withCounts(spoiled, metrics.user_faults)],
    ['endings', counts(metrics.endings) || '–'],
    ['replies of the agent', String(metrics.agent_turns)],
    ['tool calls', `${metrics.tool_calls}, ${metrics.tool_calls_failed} failed`],
    ...spendingRows(metrics),
  ];
  return [
    headedTable([], rows),
    ...errorReport(metrics.errors_by_type, metrics.error_causes),
    ...(metrics.pass_at_k.length === 0 ? [] : [passTable(metrics)]),
    ...(Object.keys(metrics.reward_metrics).length === 0 ? [] : [metricTable(metrics)]),
    ...(Object.keys(metrics.by_row).length === 0 ? [] : [rowTable(metrics)]),
  ].join('\n');
}

/** The tables, and where the artifacts are. */
export function agentEvalReport({ artifacts, metrics }: AgentEvalResult): string {
  return `${agentEvalTable(metrics)}\nArtifacts: ${shownAddress(artifacts)}`;
}

/** An evaluation in progress: its figures, who is in it, and where it writes. */
export function agentEvalStanding(progress: AgentEvalProgress): string {
  const { agent_model, user_model, artifacts, concurrency } = progress;
  return [
    agentEvalFigures(progress),
    ...(agent_model === '' ? [] : [`Agent: ${agent_model}, user: ${user_model ?? 'none'}`]),
    `At once: ${concurrency}`,
    ...artifactLines(artifacts),
  ].join('\n');
}
